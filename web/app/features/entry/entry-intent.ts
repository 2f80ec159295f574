import { type Book, parseBook } from "#lib/books.ts";

/** Path of the page for manual entry. */
export const ENTRY_PATH = "/add-new-trades";

/** Book and mode with which the page is opened. Without one, the form has a choice of book and its size decides. */
export type EntryIntent = Book & {
  /** `replace`: the first entry replaces all trades of the book. `append`: it is added to them. */
  force: "replace" | "append";
};

/** Returns the history state for `navigate(ENTRY_PATH, { state })`, which survives a reload. */
export function entryState(intent: EntryIntent) {
  return { entry: intent };
}

/** Reads the intent from a history state; undefined if the state is invalid. */
export function readIntent(state: unknown): EntryIntent | undefined {
  const { entry } = fields(state);
  const { broker, tradetype, force } = fields(entry);
  const book = parseBook(broker, tradetype);
  return book && (force === "replace" || force === "append") ? { ...book, force } : undefined;
}

/** Returns the forced mode of an entry, if the entry is for the book of the intent. */
export function forcedMode(entry: { broker: string; tradetype: string }, intent: EntryIntent | undefined) {
  const same = intent?.broker === entry.broker && intent.tradetype === entry.tradetype;
  return same ? intent.force : undefined;
}

function fields(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
