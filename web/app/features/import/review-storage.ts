import type { StoredReview } from "#features/import/import-api.ts";
import { type ImportItem, inPhase } from "#features/import/import-item.ts";
import { parseChoices } from "#features/import/preview.ts";
import { type Book, parseBook } from "#lib/books.ts";
import { tabStorage } from "#lib/storage.ts";

const KEY = "imports";

/** Stores the ids of the previews in this tab, to restore them after a reload; the server keeps a preview for an hour. */
export function saveReviews(email: string, items: readonly ImportItem[]): void {
  const files = inPhase(items, "waiting", "sending", "storing", "mismatch", "review", "failed").flatMap(
    ({ name, book, choices, detected, previewId }) =>
      previewId ? [{ name, book, choices, detected, previewId }] : [],
  );
  if (files.length > 0) tabStorage.set(KEY, JSON.stringify({ email, files }));
  else tabStorage.remove(KEY);
}

/** Returns the stored reviews of this account. */
export function loadReviews(email: string): StoredReview[] {
  try {
    const stored = JSON.parse(tabStorage.get(KEY) ?? "");
    return stored.email === email && Array.isArray(stored.files) ? stored.files.flatMap(parseReview) : [];
  } catch {
    return [];
  }
}

/** Returns a stored review; an empty list if it is invalid. */
function parseReview({ name, book, choices, detected, previewId }: Record<string, unknown>): StoredReview[] {
  const validBook = parseStoredBook(book);
  if (!validBook || typeof name !== "string" || typeof previewId !== "string") return [];
  return [
    { name, book: validBook, previewId, choices: parseChoices(choices), detected: parseStoredBook(detected) },
  ];
}

function parseStoredBook(book: unknown): Book | undefined {
  const isRecord = typeof book === "object" && book && "broker" in book && "tradetype" in book;
  return isRecord ? parseBook(book.broker, book.tradetype) : undefined;
}
