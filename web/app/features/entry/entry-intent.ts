import { type Book, toBook } from "#content/books.ts";

/** Where trades are written down by hand. */
export const ENTRY_PATH = "/add-new-trades";

/** What /add-new-trades is opened for. Without one the book is chosen there, and what it holds decides. */
export type EntryIntent = Book & {
  /** `replace`: the first entry takes the place of all that the book holds. `append`: it is added, whatever is there. */
  force: "replace" | "append";
};

/** Goes into `navigate(ENTRY_PATH, { state: entryState(…) })`: it stands in the history, so a reload keeps it. */
export function entryState(intent: EntryIntent) {
  return { entry: intent };
}

/** The history may hold anything: what is no intent is none. */
export function readIntent(state: unknown): EntryIntent | undefined {
  const { entry } = fields(state);
  const { broker, tradetype, force } = fields(entry);
  const book = toBook(broker, tradetype);
  return book && (force === "replace" || force === "append") ? { ...book, force } : undefined;
}

/** The intent is about its own book alone: another one may be chosen in the form. */
export function forceOn(entry: { broker: string; tradetype: string }, intent: EntryIntent | undefined) {
  const same = intent?.broker === entry.broker && intent.tradetype === entry.tradetype;
  return same ? intent.force : undefined;
}

function fields(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
