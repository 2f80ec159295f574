import { cancelled, type ImportFailure, refused, unanswered } from "#features/import/import-failure.ts";
import type { ImportChoice } from "#features/import/import-schema.ts";
import { isProblem, retryAfter, type Schemas } from "#lib/api.ts";
import { upload } from "#lib/upload.ts";

export type ImportReport = Schemas["Import"];
export type Mismatch = Schemas["MismatchProblem"];

export type Outcome =
  | { kind: "done"; report: ImportReport }
  | { kind: "mismatch"; problem: Mismatch }
  | { kind: "failed"; failure: ImportFailure }
  | { kind: "cancelled"; text: string; open: boolean };

export type SendOptions = {
  email: string;
  /** The file is imported as what it is, also where that differs from the choice. */
  confirm: boolean;
  signal: AbortSignal;
  onProgress: (share: number) => void;
};

/** Sends one file. The words come first: the server knows whose and what it is before the bytes arrive. */
export async function sendImport(choice: ImportChoice, options: SendOptions): Promise<Outcome> {
  const { email, confirm, signal, onProgress } = options;
  const form = new FormData();
  form.set("broker", choice.broker);
  form.set("tradetype", choice.tradetype);
  form.set("email", email);
  if (confirm) form.set("confirm", "true");
  form.set("file", choice.file);

  let sentWhole = false;
  try {
    const response = await upload("/uploadexcel", form, {
      signal,
      headers: { Prefer: "return=minimal" },
      onProgress(share) {
        sentWhole = share >= 1;
        onProgress(share);
      },
    });
    return await outcomeOf(response);
  } catch (error) {
    if (signal.aborted) return { kind: "cancelled", text: cancelled(sentWhole), open: sentWhole };
    console.warn("The file did not get through.", error);
    return { kind: "failed", failure: unanswered(sentWhole) };
  }
}

async function outcomeOf(response: Response): Promise<Outcome> {
  const body: unknown = await response.json().catch(() => undefined);
  if (response.ok && isImported(body)) return { kind: "done", report: body.import };
  if (response.status === 409 && isMismatch(body)) return { kind: "mismatch", problem: body };
  // A success that cannot be read is no refusal: it counts among the answers that leave it open.
  const status = response.ok ? 502 : response.status;
  return { kind: "failed", failure: refused(status, body, retryAfter(response)) };
}

function isImported(body: unknown): body is Schemas["ImportedMinimal"] {
  return typeof body === "object" && body !== null && "import" in body && "total" in body;
}

function isMismatch(body: unknown): body is Mismatch {
  return isProblem(body) && body.code === "file_mismatch" && "found" in body;
}
