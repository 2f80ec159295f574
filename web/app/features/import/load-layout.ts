import { isProblem } from "#lib/api.ts";
import { upload } from "#lib/upload.ts";

export type LayoutResult =
  | { kind: "read"; text: string }
  /** `retry`: the same request may succeed later. */
  | { kind: "failed"; text: string; retry: boolean };

const TIMED_OUT: LayoutResult = {
  kind: "failed",
  text: "The server needed too long to read the file. Try again in a few minutes.",
  retry: true,
};

/**
 * Returns the layout of a contract note with names and numbers masked. The server reads the file and keeps nothing of it.
 * `password`: empty if the file needs none.
 */
export async function loadLayout(file: File, password: string, signal: AbortSignal): Promise<LayoutResult> {
  const form = new FormData();
  if (password) form.set("password", password);
  form.set("file", file);
  try {
    const response = await upload("/uploadexcel/layout", form, { signal });
    const body: unknown = await response.json().catch(() => undefined);
    if (response.ok && isLayout(body)) return { kind: "read", text: body.text };
    if (response.status === 504) return TIMED_OUT;
    const text = isProblem(body) && body.detail ? body.detail : "The layout could not be read.";
    return { kind: "failed", text, retry: response.status === 429 || response.status >= 500 };
  } catch (error) {
    if (error instanceof DOMException && error.name === "TimeoutError") return TIMED_OUT;
    return { kind: "failed", text: "No connection. Try again.", retry: true };
  }
}

function isLayout(body: unknown): body is { text: string } {
  return typeof body === "object" && body !== null && "text" in body && typeof body.text === "string";
}
