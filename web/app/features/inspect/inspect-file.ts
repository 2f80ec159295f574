import { isProblem, retryAfter, type Schemas } from "#lib/api.ts";
import { wait } from "#lib/format.ts";
import { upload } from "#lib/upload.ts";

export type FileReport = Schemas["FileReport"];

export type Inspected = { kind: "read"; report: FileReport } | { kind: "failed"; text: string };

/** Uploads a file, which the server parses but does not store. Throws without a connection. */
export async function inspectFile(file: File, onProgress: (share: number) => void): Promise<Inspected> {
  const form = new FormData();
  form.set("file", file);
  const response = await upload("/upload", form, { onProgress });
  const body: unknown = await response.json().catch(() => undefined);
  if (response.ok && isReport(body)) return { kind: "read", report: body };
  return { kind: "failed", text: failureText(response, body) };
}

/** Returns the server's message if the response has one. */
function failureText(response: Response, body: unknown): string {
  const message = isProblem(body) ? body.detail : "";
  const seconds = retryAfter(response);
  const retry = seconds ? `Try again in ${wait(seconds)}.` : "";
  return (
    [message, retry].filter(Boolean).join(" ") || "The server could not read the file. Please try again."
  );
}

function isReport(body: unknown): body is FileReport {
  return typeof body === "object" && body !== null && "format" in body && "sample" in body;
}
