import { isProblem } from "#lib/api.ts";
import { upload } from "#lib/upload.ts";

export type LayoutResult = { kind: "read"; text: string } | { kind: "failed"; text: string };

/** Returns the layout of a contract note without its data. Nothing is stored. `password`: empty if it needs none. */
export async function loadLayout(file: File, password: string, signal: AbortSignal): Promise<LayoutResult> {
  const form = new FormData();
  if (password) form.set("password", password);
  form.set("file", file);
  try {
    const response = await upload("/uploadexcel/layout", form, { signal });
    const body: unknown = await response.json().catch(() => undefined);
    if (response.ok && isLayout(body)) return { kind: "read", text: body.text };
    const text = isProblem(body) && body.detail ? body.detail : "The layout could not be read. Try again.";
    return { kind: "failed", text };
  } catch {
    return { kind: "failed", text: "No connection. Try again." };
  }
}

function isLayout(body: unknown): body is { text: string } {
  return typeof body === "object" && body !== null && "text" in body && typeof body.text === "string";
}
