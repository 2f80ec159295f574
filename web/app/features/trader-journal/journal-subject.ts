import type { JournalSubject } from "#features/trader-journal/journal-entry.ts";
import type { Position } from "#features/trader-journal/position-facts.ts";
import type { Schemas } from "#lib/api.ts";
import { istDate } from "#lib/format.ts";

export type Strategy = Schemas["Strategy"];

const MAX_SYMBOL_CHARS = 100;

/** Returns the subject of the entry of a position. */
export function positionSubject({ id, symbol, openedAt, side, quantity }: Position): JournalSubject {
  return {
    kind: "position",
    key: id,
    symbol: symbol.slice(0, MAX_SYMBOL_CHARS),
    day: istDate(openedAt),
    side,
    quantity,
  };
}

/** Returns the subject of the entry of a strategy, which has no side and quantity. */
export function strategySubject({
  id,
  underlying,
  openedAt,
}: Pick<Strategy, "id" | "underlying" | "openedAt">): JournalSubject {
  return {
    kind: "strategy",
    key: id,
    symbol: underlying.slice(0, MAX_SYMBOL_CHARS),
    day: istDate(openedAt),
  };
}
