import type { JournalSubject } from "#features/trader-journal/journal-entry.ts";
import type { Position } from "#features/trader-journal/position-facts.ts";
import { istDate } from "#lib/format.ts";

/** Returns what the entry of a position is about. */
export function subjectOf({ id, symbol, openedAt, side, quantity }: Position): JournalSubject {
  return { kind: "position", key: id, symbol: symbol.slice(0, 100), day: istDate(openedAt), side, quantity };
}
