import { useSyncExternalStore } from "react";
import { type Book, bookName, toBook } from "#content/books.ts";
import { count, plural } from "#lib/format.ts";
import { perTab } from "#lib/storage.ts";

/** What a forced replace did, until the reader has put the news away. */
export type Replaced = Book & {
  /** Whose news it is. */
  email: string;
  changeId: string;
  removed: number;
  added: number;
  /** It was taken back: what that did, in words. */
  undone?: string;
};

const KEY = "replaced";
const listeners = new Set<() => void>();
let news = stored();

export function useReplaced(email: string): Replaced | undefined {
  const latest = useSyncExternalStore(subscribe, () => news);
  return latest?.email === email ? latest : undefined;
}

export function announceReplaced(next: Replaced | undefined): void {
  news = next;
  if (next && !next.undone) perTab.set(KEY, JSON.stringify(next));
  else perTab.remove(KEY);
  for (const listener of listeners) listener();
}

/** "40 trades of Zerodha, Equity were replaced by 2." */
export function replacedWords({ removed, added, ...book }: Replaced): string {
  return `${plural(removed, "trade")} of ${bookName(book)} ${removed === 1 ? "was" : "were"} replaced by ${count(added)}.`;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** As it was before a reload. */
function stored(): Replaced | undefined {
  try {
    const { email, changeId, removed, added, broker, tradetype } = JSON.parse(perTab.get(KEY) ?? "");
    const book = toBook(broker, tradetype);
    const counts = [removed, added].every(Number.isInteger);
    if (!book || !counts || typeof email !== "string" || typeof changeId !== "string") return undefined;
    return { ...book, email, changeId, removed, added };
  } catch {
    return undefined;
  }
}
