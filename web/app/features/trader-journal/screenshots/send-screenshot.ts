import type { JournalEntry, JournalSubject } from "#features/trader-journal/journal-entry.ts";
import type { SendOptions, SendResult } from "#features/trader-journal/screenshots/upload-queue.ts";
import { isProblem } from "#lib/api.ts";
import { failureMessage, fieldErrors } from "#lib/problem.ts";
import { upload } from "#lib/upload.ts";

const NOT_REACHED = "The server could not be reached. The picture is kept until you close this tab.";
const TOO_LARGE = "The picture is larger than 5 MB. Choose a smaller one.";

/** Uploads a picture to the entry of a subject. A repeated request with the same `id` adds nothing. */
export async function sendScreenshot(
  subject: JournalSubject,
  id: string,
  picture: File,
  { signal, onProgress }: SendOptions,
): Promise<SendResult> {
  let sentShare = 0;
  try {
    const response = await upload("/journal/screenshots", screenshotForm(subject, id, picture), {
      signal,
      onProgress(share) {
        sentShare = share;
        onProgress(share);
      },
    });
    const body: unknown = await response.json().catch(() => undefined);
    if (response.status === 201 && isEntry(body)) return { kind: "stored", entry: body };
    return uploadFailure(response, body);
  } catch (error) {
    if (!signal.aborted) console.warn("No response to a screenshot.", error);
    return { kind: "failed", message: NOT_REACHED, canRetry: true, maybeStored: sentShare >= 1 };
  }
}

/** Returns the form. The picture is the last field, so that the server can validate the others before it. */
export function screenshotForm(
  { kind, key, symbol, day, side, quantity }: JournalSubject,
  id: string,
  picture: File,
): FormData {
  const form = new FormData();
  form.set("id", id);
  form.set("kind", kind);
  form.set("key", key);
  if (symbol) form.set("symbol", symbol);
  form.set("day", day);
  if (side) form.set("side", side);
  if (typeof quantity === "number") form.set("quantity", String(quantity));
  form.set("file", picture);
  return form;
}

/** Describes a response that is not a success. A picture that the server rejects is not worth another attempt. */
export function uploadFailure(response: Response, body: unknown): SendResult {
  if (response.status === 413) {
    const message = isProblem(body) && body.detail ? body.detail : TOO_LARGE;
    return { kind: "failed", message, canRetry: false };
  }
  const [fieldError] = isProblem(body) ? fieldErrors(body) : [];
  if (response.status === 422 && fieldError)
    return { kind: "failed", message: fieldError.message, canRetry: false };
  // A success with an invalid body.
  if (response.ok) return { kind: "failed", message: NOT_REACHED, canRetry: true, maybeStored: true };
  // A server that is too slow may still store it.
  const maybeStored = response.status >= 500;
  return { kind: "failed", message: failureMessage(response, body), canRetry: true, maybeStored };
}

function isEntry(body: unknown): body is JournalEntry {
  return typeof body === "object" && body !== null && "version" in body && "key" in body;
}
