import type { ImportFailure } from "#features/import/import-failure.ts";
import type { Choices, Mismatch, Preview, Report } from "#features/import/preview.ts";
import type { Book, BookSelection } from "#lib/books.ts";

export type FileState =
  | { phase: "chosen" }
  /** Submitted; waits until the files before it are imported, of which only some are checked at a time. */
  | { phase: "queued" }
  /** Waits for the files before it, or, with `seconds`, until the overloaded server accepts it. */
  | { phase: "waiting"; seconds?: number }
  /** Share of bytes sent, from 0 to 1; at 1 the server checks the file. */
  | { phase: "sending"; share: number }
  | { phase: "storing" }
  /** The file belongs to another book than selected; the trader is asked. */
  | { phase: "mismatch"; detected: Mismatch["detected"] }
  /** The trader reviews the file. `changed`: trades of the book have changed since the last review. */
  | { phase: "review"; changed: boolean }
  /** The file is a ledger, which the trader reviews and imports apart from trades. `added`: entries, once imported. */
  | { phase: "ledger"; added?: number }
  | { phase: "done"; report: Report }
  | { phase: "failed"; failure: ImportFailure }
  | { phase: "cancelled"; text: string };

/** File in the import queue. */
export type ImportItem = {
  readonly id: number;
  readonly name: string;
  /** Undefined after a reload. */
  readonly file: File | undefined;
  readonly book: Book;
  /** Selection with which the file was submitted; a file of another book is a question to the trader. */
  readonly selection: BookSelection;
  /** True for the second import of a file with trades of both trade types. */
  readonly isOtherPart: boolean;
  readonly state: FileState;
  /** Id of the preview on the server, with which the file need not be uploaded again. */
  readonly previewId: string | undefined;
  readonly preview: Preview | undefined;
  readonly choices: Choices;
  /** Book for which the file was checked although another one was selected, until the trader confirms it. */
  readonly detected: Book | undefined;
  /** Number of the account that the trader selected for the file, until its preview is that of this account. */
  readonly account: number | undefined;
  /** True if the file can be imported as its preview shows: the trader agreed, or it has no issues. */
  readonly approved: boolean;
};

export type Step = "file" | "check" | "review";

type Items = readonly ImportItem[];

export const inPhase = (items: Items, ...phases: FileState["phase"][]) =>
  items.filter(({ state }) => phases.includes(state.phase));

/** Returns true if a file is being imported or waits in the queue. */
export function isBusy(items: Items): boolean {
  return inPhase(items, "waiting", "sending", "storing").length > 0;
}

/** Returns true if a file waits for an answer of the trader. */
export function needsAnswer(items: Items): boolean {
  return (
    inPhase(items, "mismatch", "review").length > 0 ||
    items.some(({ state }) => state.phase === "ledger" && state.added === undefined)
  );
}

export function stepOf(items: Items): Step {
  if (isBusy(items)) return "check";
  if (inPhase(items, "review").length > 0) return "review";
  return inPhase(items, "mismatch").length > 0 ? "check" : "file";
}

/** Returns the files that Submit Trades sends. */
export function filesToSubmit(items: Items): ImportItem[] {
  return inPhase(items, "chosen", "failed", "cancelled");
}
