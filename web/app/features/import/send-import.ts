import type {
  CheckResult,
  ImportApi,
  Incomplete,
  RetryLater,
  StoreResult,
} from "#features/import/import-api.ts";
import {
  IMPORT_UNDONE,
  isOverloaded,
  noResponseFailure,
  PREVIEW_EXPIRED,
  rejectedFailure,
} from "#features/import/import-failure.ts";
import { type Choices, listedChoices, type Mismatch, type Preview } from "#features/import/preview.ts";
import { api, isProblem, retryAfter, type Schemas, withFileTimeout } from "#lib/api.ts";
import type { Book } from "#lib/books.ts";
import { upload } from "#lib/upload.ts";

/** Longest wait for an overloaded server; after a longer one the import fails and the trader decides. */
const MAX_WAIT_SECONDS = 120;

/** Creates the requests of the import queue for one account. */
export function importApi(email: string): ImportApi {
  return {
    async check(file, book, confirmed, password, signal, onShare) {
      return settle(false, signal, async () => {
        const response = await upload(
          "/uploadexcel/preview",
          fileForm(email, file, book, confirmed, password),
          {
            signal,
            onProgress: onShare,
          },
        );
        return checkResult(response, await bodyOf(response));
      });
    },
    async loadPreview(previewId, batch, signal) {
      return settle(false, signal, async () => {
        const path = { id: previewId };
        const { data, error, response } = await api.GET("/uploadexcel/preview/{id}", {
          params: { path, query: batch.length > 0 ? { batch: batch.join(",") } : {} },
          signal,
          ...withFileTimeout,
        });
        return checkResult(response, data ?? error);
      });
    },
    async store(preview, choices, signal, account) {
      return settle(true, signal, async () => {
        const response = await upload("/uploadexcel", commitForm(email, preview, choices, account), {
          signal,
          headers: { Prefer: "return=minimal" },
        });
        return storeResult(response, await bodyOf(response));
      });
    },
    wait(seconds, signal) {
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

/** Returns the form for a check. The file is the last field, so that the server can validate the others before it. */
function fileForm(
  email: string,
  file: File,
  { broker, brokerAccount, tradetype }: Book,
  confirmed: boolean,
  password: string,
): FormData {
  const form = new FormData();
  form.set("broker", broker);
  form.set("tradetype", tradetype);
  if (brokerAccount) form.set("brokerAccount", String(brokerAccount));
  if (confirmed) form.set("confirm", "true");
  if (password) form.set("password", password);
  form.set("email", email);
  form.set("file", file);
  return form;
}

function commitForm(
  email: string,
  preview: Preview,
  choices: Choices,
  account: number | undefined,
): FormData {
  const { id, state, conflictTotal } = preview;
  const form = new FormData();
  form.set("previewId", id);
  form.set("state", state);
  form.set("email", email);
  if (account) form.set("brokerAccount", String(account));
  if (conflictTotal > 0) form.set("choices", JSON.stringify(listedChoices(preview, choices)));
  if (choices.others) form.set("others", choices.others);
  return form;
}

/** Sends a request and returns a result even if it is aborted or gets no response. */
async function settle<T>(
  storing: boolean,
  signal: AbortSignal,
  send: () => Promise<T>,
): Promise<T | Incomplete> {
  try {
    return await send();
  } catch (error) {
    if (signal.aborted) return { kind: "cancelled", maybeStored: storing };
    console.warn("No response to an import.", error);
    return { kind: "failed", failure: noResponseFailure(storing) };
  }
}

async function bodyOf(response: Response): Promise<unknown> {
  return response.json().catch(() => undefined);
}

function checkResult(response: Response, body: unknown): CheckResult {
  if (response.ok && isPreview(body)) return { kind: "preview", preview: body };
  if (response.status === 409 && isMismatch(body)) return { kind: "mismatch", detected: body.detected };
  if (isProblem(body) && body.code === "ledger_file") return { kind: "ledger" };
  return errorResult(response, body, false);
}

function storeResult(response: Response, body: unknown): StoreResult {
  if (response.ok && isImported(body)) return { kind: "done", report: body.import };
  if (response.status === 409 && isChanged(body)) return { kind: "changed", preview: body.preview };
  if (isProblem(body) && body.code === "change_undone")
    return { kind: "failed", failure: IMPORT_UNDONE, previewExpired: true };
  return errorResult(response, body, true);
}

function errorResult(response: Response, body: unknown, storing: boolean): RetryLater | Incomplete {
  if (isProblem(body) && body.code === "preview_not_found")
    return { kind: "failed", failure: PREVIEW_EXPIRED, previewExpired: true };
  const seconds = retryAfter(response);
  if (isOverloaded(response.status, body) && seconds && seconds <= MAX_WAIT_SECONDS)
    return { kind: "retryLater", seconds };
  // After a success with an invalid body the outcome is unknown, as after a 502.
  const status = response.ok ? 502 : response.status;
  return { kind: "failed", failure: rejectedFailure(status, body, { seconds, storing }) };
}

function isPreview(body: unknown): body is Preview {
  return typeof body === "object" && body !== null && "state" in body && "sample" in body;
}

function isImported(body: unknown): body is Schemas["ImportedMinimal"] {
  return typeof body === "object" && body !== null && "import" in body && "total" in body;
}

function isMismatch(body: unknown): body is Mismatch {
  return isProblem(body) && body.code === "file_mismatch" && "detected" in body;
}

function isChanged(body: unknown): body is Schemas["PreviewProblem"] {
  return isProblem(body) && body.code === "preview_changed" && "preview" in body;
}
