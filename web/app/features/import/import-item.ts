import type { Book } from "#content/books.ts";
import type { ImportFailure } from "#features/import/import-failure.ts";
import type { Choices, Mismatch, Preview, Report } from "#features/import/preview.ts";

export type FileState =
  | { phase: "chosen" }
  /** For its turn: files go one after the other. `seconds`: the server takes no more for so long. */
  | { phase: "waiting"; seconds?: number }
  /** From 0 to 1, of the bytes that left; at 1 the server reads. */
  | { phase: "sending"; share: number }
  | { phase: "storing" }
  /** The file is of another book than chosen: asked, nothing is stored yet. */
  | { phase: "mismatch"; found: Mismatch["found"] }
  /** What would happen, to be looked at. `changed`: the book did, since it was looked at before. */
  | { phase: "review"; changed: boolean }
  | { phase: "done"; report: Report }
  | { phase: "failed"; failure: ImportFailure }
  | { phase: "cancelled"; text: string };

/** One file on its way into the log. */
export type ImportItem = {
  readonly id: number;
  readonly name: string;
  /** Unknown after a reload. */
  readonly file: File | undefined;
  readonly book: Book;
  readonly state: FileState;
  /** What the server keeps of it; the file need not be sent again. */
  readonly previewId: string | undefined;
  readonly preview: Preview | undefined;
  readonly choices: Choices;
};

export type Step = "file" | "check" | "review";

type Items = readonly ImportItem[];

export const inPhase = (items: Items, ...phases: FileState["phase"][]) =>
  items.filter(({ state }) => phases.includes(state.phase));

/** Something is under way, or waits for its turn. */
export function isBusy(items: Items): boolean {
  return inPhase(items, "waiting", "sending", "storing").length > 0;
}

/** An answer of the trader is waited for. */
export function asks(items: Items): boolean {
  return inPhase(items, "mismatch", "review").length > 0;
}

export function stepOf(items: Items): Step {
  if (isBusy(items)) return "check";
  if (inPhase(items, "review").length > 0) return "review";
  return inPhase(items, "mismatch").length > 0 ? "check" : "file";
}

/** What Submit Trades sends: nothing that is under way, asked or done. */
export function toSend(items: Items): ImportItem[] {
  return inPhase(items, "chosen", "failed", "cancelled");
}
