import { toBook } from "#content/books.ts";
import { type ImportItem, inPhase } from "#features/import/import-item.ts";
import type { Kept } from "#features/import/import-queue.ts";
import { toChoices } from "#features/import/preview.ts";
import { perTab } from "#lib/storage.ts";

const KEY = "imports";

/** The server keeps what it checked for an hour; the tab keeps the ids, for a reload. */
export function keepReviews(email: string, items: readonly ImportItem[]): void {
  const files = inPhase(items, "waiting", "storing", "review", "failed").flatMap(
    ({ name, book, choices, previewId }) => (previewId ? [{ name, book, choices, previewId }] : []),
  );
  if (files.length > 0) perTab.set(KEY, JSON.stringify({ email, files }));
  else perTab.remove(KEY);
}

/** Of this account alone. */
export function keptReviews(email: string): Kept[] {
  try {
    const kept = JSON.parse(perTab.get(KEY) ?? "");
    return kept.email === email && Array.isArray(kept.files) ? kept.files.flatMap(toKept) : [];
  } catch {
    return [];
  }
}

function toKept({ name, book, choices, previewId }: Record<string, unknown>): Kept[] {
  const known = typeof book === "object" && book && "broker" in book && "tradetype" in book;
  const checked = known ? toBook(book.broker, book.tradetype) : undefined;
  if (!checked || typeof name !== "string" || typeof previewId !== "string") return [];
  return [{ name, book: checked, previewId, choices: toChoices(choices) }];
}
