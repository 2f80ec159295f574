import type { Book } from "#content/books.ts";
import { api, type Schemas } from "#lib/api.ts";
import { count, plural } from "#lib/format.ts";

export type Change = Schemas["Change"];

export type Undone = {
  /** Trades that went, and that came back. */
  removed: number;
  restored: number;
  /** Changes that were taken back. */
  undone: number;
  /** Trades in the log from now on. */
  total: number;
};

/** A change as it stands now: how many newer ones its undo takes along, from this tab or another, the server knows. */
export async function findChange({ broker, tradetype }: Book, id: string): Promise<Change | undefined> {
  let cursor: string | undefined;
  do {
    const query = { broker, tradetype, limit: 100, ...(cursor && { cursor }) };
    const { data, error } = await api.GET("/trades/changes", { params: { query } });
    if (!data) throw error ?? new Error("The server gave no answer.");
    const found = data.changes.find((change) => change.id === id);
    if (found) return found;
    cursor = data.nextCursor;
  } while (cursor);
  return undefined;
}

/**
 * Takes a change of a book back, and with it as many newer ones as the trader was told of. Throws what the server
 * answered when it did not.
 */
export async function undoChange(id: string, newer: number): Promise<Undone> {
  const { data, error } = await api.POST("/trades/changes/{id}/undo", {
    params: { path: { id } },
    body: { newer },
  });
  if (data) return data;
  throw error ?? new Error("The server gave no answer.");
}

/** "2 trades came back, 1 went." */
export function undoneWords({ removed, restored }: Pick<Undone, "removed" | "restored">): string {
  const parts: string[] = [];
  if (restored > 0) parts.push(`${plural(restored, "trade")} came back`);
  if (removed > 0) parts.push(`${restored > 0 ? count(removed) : plural(removed, "trade")} went`);
  return parts.length > 0 ? `${parts.join(", ")}.` : "The trades are the same as before.";
}
