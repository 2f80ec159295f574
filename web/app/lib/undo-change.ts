import { api, type Schemas } from "#lib/api.ts";
import type { Book } from "#lib/books.ts";
import { count, plural } from "#lib/format.ts";

export type Change = Schemas["Change"];

export type UndoResult = {
  /** Number of trades removed and restored by the undo. */
  removed: number;
  restored: number;
  /** Number of changes undone. */
  undone: number;
  /** Number of trades in the log afterwards. */
  total: number;
};

/** Loads a change with its current state; the server knows how many newer changes must be undone with it. */
export async function findChange({ broker, tradetype }: Book, id: string): Promise<Change | undefined> {
  let cursor: string | undefined;
  do {
    const query = { broker, tradetype, limit: 100, ...(cursor && { cursor }) };
    const { data, error } = await api.GET("/trades/changes", { params: { query } });
    if (!data) throw error ?? new Error("The server did not respond.");
    const change = data.changes.find((one) => one.id === id);
    if (change) return change;
    cursor = data.nextCursor;
  } while (cursor);
  return undefined;
}

/**
 * Undoes a change of a book, and the `newer` changes after it that the trader has confirmed. Throws the error of the
 * server if it refuses.
 */
export async function undoChange(id: string, newer: number): Promise<UndoResult> {
  const { data, error } = await api.POST("/trades/changes/{id}/undo", {
    params: { path: { id } },
    body: { newer },
  });
  if (data) return data;
  throw error ?? new Error("The server did not respond.");
}

/** Returns "2 trades restored, 1 removed." */
export function undoneText({ removed, restored }: Pick<UndoResult, "removed" | "restored">): string {
  const parts: string[] = [];
  if (restored > 0) parts.push(`${plural(restored, "trade")} restored`);
  if (removed > 0) parts.push(`${restored > 0 ? count(removed) : plural(removed, "trade")} removed`);
  return parts.length > 0 ? `${parts.join(", ")}.` : "The trades are the same as before.";
}
