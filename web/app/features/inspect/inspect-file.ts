import { isProblem, retryAfter, type Schemas } from "#lib/api.ts";
import { wait } from "#lib/format.ts";
import { upload } from "#lib/upload.ts";

export type FileReport = Schemas["FileReport"];

export type Inspected = { kind: "read"; report: FileReport } | { kind: "failed"; text: string };

/** Has the server read a file and tell what it found; nothing is stored. Throws without a connection. */
export async function inspectFile(file: File, onProgress: (share: number) => void): Promise<Inspected> {
  const form = new FormData();
  form.set("file", file);
  const response = await upload("/upload", form, { onProgress });
  const body: unknown = await response.json().catch(() => undefined);
  if (response.ok && isReport(body)) return { kind: "read", report: body };
  return { kind: "failed", text: reason(response, body) };
}

/** The server's own sentence where it gave one. */
function reason(response: Response, body: unknown): string {
  const sentence = isProblem(body) ? body.detail : "";
  const seconds = retryAfter(response);
  const again = seconds ? `Try again in ${wait(seconds)}.` : "";
  return [sentence, again].filter(Boolean).join(" ") || `The server answered ${response.status}.`;
}

function isReport(body: unknown): body is FileReport {
  return typeof body === "object" && body !== null && "format" in body && "sample" in body;
}
