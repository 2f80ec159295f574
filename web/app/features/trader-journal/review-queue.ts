import type { JournalEntry } from "#features/trader-journal/journal-entry.ts";
import type { Position } from "#features/trader-journal/position-facts.ts";
import { api } from "#lib/api.ts";

/** Number of keys that are looked up at once. */
const MAX_KEYS = 100;

/** Position of the queue with its entry, without notes and plan. */
export type QueueItem = { position: Position; entry: JournalEntry | undefined };

export type QueuePage = { items: QueueItem[]; total: number; nextCursor: string | undefined };

/** Loads a page of closed positions, the last closed first, with their entries. */
export async function loadQueuePage(cursor: string | undefined): Promise<QueuePage> {
  const query = { limit: MAX_KEYS, state: "closed" as const, ...(cursor && { cursor }) };
  const { data, error } = await api.GET("/analytics/positions", { params: { query } });
  if (!data) throw error;
  const keys = data.positions.map(({ id }) => id);
  const entries = keys.length > 0 ? await lookUpEntries(keys) : [];
  const byKey = new Map(entries.map((entry) => [entry.key, entry]));
  return {
    items: data.positions.map((position) => ({ position, entry: byKey.get(position.id) })),
    total: data.total,
    nextCursor: data.nextCursor,
  };
}

async function lookUpEntries(keys: string[]): Promise<JournalEntry[]> {
  const body = { kind: "position" as const, keys, withoutText: true };
  const { data, error } = await api.POST("/journal/entries/lookup", { body });
  if (!data) throw error;
  return data.entries;
}
