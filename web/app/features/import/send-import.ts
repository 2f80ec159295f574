import type { Book } from "#content/books.ts";
import { FORGOTTEN, refused, takesNoMore, UNDONE, unanswered } from "#features/import/import-failure.ts";
import type { Checked, Ended, Later, Sender, Stored } from "#features/import/import-queue.ts";
import { type Choices, type Mismatch, namedChoices, type Preview } from "#features/import/preview.ts";
import { api, isProblem, retryAfter, type Schemas } from "#lib/api.ts";
import { upload } from "#lib/upload.ts";

/** Who must come back later than this is told so, and decides. */
const LONGEST_PAUSE = 120;

/** Speaks to the server for one account. */
export function importSender(email: string): Sender {
  return {
    async check(file, book, signal, onShare) {
      return settle(false, signal, async () => {
        const response = await upload("/uploadexcel/preview", fileForm(email, file, book), {
          signal,
          onProgress: onShare,
        });
        return checked(response, await bodyOf(response));
      });
    },
    async recall(previewId, signal) {
      return settle(false, signal, async () => {
        const path = { id: previewId };
        const { data, error, response } = await api.GET("/uploadexcel/preview/{id}", {
          params: { path },
          signal,
        });
        return checked(response, data ?? error);
      });
    },
    async store(preview, choices, signal) {
      return settle(true, signal, async () => {
        const response = await upload("/uploadexcel", commitForm(email, preview, choices), {
          signal,
          headers: { Prefer: "return=minimal" },
        });
        return stored(response, await bodyOf(response));
      });
    },
    pause(seconds, signal) {
      return new Promise((resolve) => {
        const timer = setTimeout(resolve, seconds * 1000);
        signal.addEventListener("abort", () => {
          clearTimeout(timer);
          resolve();
        });
      });
    },
  };
}

/** The words come first: the server knows whose and what it is before the bytes arrive. */
function fileForm(email: string, file: File, { broker, tradetype }: Book): FormData {
  const form = new FormData();
  form.set("broker", broker);
  form.set("tradetype", tradetype);
  form.set("email", email);
  form.set("file", file);
  return form;
}

function commitForm(email: string, preview: Preview, choices: Choices): FormData {
  const { id, state, conflictTotal } = preview;
  const form = new FormData();
  form.set("previewId", id);
  form.set("state", state);
  form.set("email", email);
  if (conflictTotal > 0) form.set("choices", JSON.stringify(namedChoices(preview, choices)));
  if (choices.others) form.set("others", choices.others);
  return form;
}

/** What has no answer, or was stopped, ends here as well. */
async function settle<T>(storing: boolean, signal: AbortSignal, ask: () => Promise<T>): Promise<T | Ended> {
  try {
    return await ask();
  } catch (error) {
    if (signal.aborted) return { kind: "cancelled", open: storing };
    console.warn("No answer to an import.", error);
    return { kind: "failed", failure: unanswered(storing) };
  }
}

async function bodyOf(response: Response): Promise<unknown> {
  return response.json().catch(() => undefined);
}

function checked(response: Response, body: unknown): Checked {
  if (response.ok && isPreview(body)) return { kind: "preview", preview: body };
  if (response.status === 409 && isMismatch(body)) return { kind: "mismatch", found: body.found };
  return refusal(response, body, false);
}

function stored(response: Response, body: unknown): Stored {
  if (response.ok && isImported(body)) return { kind: "done", report: body.import };
  if (response.status === 409 && isChanged(body)) return { kind: "changed", preview: body.preview };
  if (isProblem(body) && body.code === "change_undone")
    return { kind: "failed", failure: UNDONE, gone: true };
  return refusal(response, body, true);
}

function refusal(response: Response, body: unknown, storing: boolean): Later | Ended {
  if (isProblem(body) && body.code === "no_preview")
    return { kind: "failed", failure: FORGOTTEN, gone: true };
  const seconds = retryAfter(response);
  if (takesNoMore(response.status, body) && seconds && seconds <= LONGEST_PAUSE)
    return { kind: "later", seconds };
  // A success that cannot be read is no refusal: it counts among the answers that leave it open.
  const status = response.ok ? 502 : response.status;
  return { kind: "failed", failure: refused(status, body, { seconds, storing }) };
}

function isPreview(body: unknown): body is Preview {
  return typeof body === "object" && body !== null && "state" in body && "sample" in body;
}

function isImported(body: unknown): body is Schemas["ImportedMinimal"] {
  return typeof body === "object" && body !== null && "import" in body && "total" in body;
}

function isMismatch(body: unknown): body is Mismatch {
  return isProblem(body) && body.code === "file_mismatch" && "found" in body;
}

function isChanged(body: unknown): body is Schemas["PreviewProblem"] {
  return isProblem(body) && body.code === "preview_changed" && "preview" in body;
}
