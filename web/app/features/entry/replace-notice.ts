import { useSyncExternalStore } from "react";
import { type Book, bookName, parseBook } from "#lib/books.ts";
import { count, plural } from "#lib/format.ts";
import { tabStorage } from "#lib/storage.ts";

/** Notice about a book that was replaced, shown until it is dismissed. */
export type ReplaceNotice = Book & {
  /** Email of the account. */
  email: string;
  changeId: string;
  removed: number;
  added: number;
  /** Result of the undo, once it was undone. */
  undone?: string;
};

const KEY = "replaced";
const listeners = new Set<() => void>();
let notice = loadNotice();

export function useReplaceNotice(email: string): ReplaceNotice | undefined {
  const latest = useSyncExternalStore(subscribe, () => notice);
  return latest?.email === email ? latest : undefined;
}

export function setReplaceNotice(next: ReplaceNotice | undefined): void {
  notice = next;
  if (next && !next.undone) tabStorage.set(KEY, JSON.stringify(next));
  else tabStorage.remove(KEY);
  for (const listener of listeners) listener();
}

/** Returns "40 trades of Zerodha, Equity were replaced by 2." */
export function replaceText({ removed, added, ...book }: ReplaceNotice): string {
  return `${plural(removed, "trade")} of ${bookName(book)} ${removed === 1 ? "was" : "were"} replaced by ${count(added)}.`;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Loads the notice of this tab, which survives a reload. */
function loadNotice(): ReplaceNotice | undefined {
  try {
    const { email, changeId, removed, added, broker, tradetype } = JSON.parse(tabStorage.get(KEY) ?? "");
    const book = parseBook(broker, tradetype);
    const counts = [removed, added].every(Number.isInteger);
    if (!book || !counts || typeof email !== "string" || typeof changeId !== "string") return undefined;
    return { ...book, email, changeId, removed, added };
  } catch {
    return undefined;
  }
}
