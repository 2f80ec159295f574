import type { Trade } from "#features/trades/trade-pages.ts";
import type { TradeList } from "#features/trades/use-trade-log.ts";

export type CardItem =
  /** Heading of a day. `trades` is undefined until the whole day is loaded. */
  { kind: "day"; timestamp: string; trades: number | undefined } | { kind: "trade"; row: number };

/** Returns the items of the first `shown` trades. The heading of the last day still counts all of its trades. */
export function firstItems(items: readonly CardItem[], shown: number): readonly CardItem[] {
  const end = items.findIndex((item) => item.kind === "trade" && item.row >= shown);
  if (end < 0) return items;
  return items.slice(0, items[end - 1]?.kind === "day" ? end - 1 : end);
}

/** Offset of India time in milliseconds; India has no daylight saving time. */
const INDIA_OFFSET = 5.5 * 3_600_000;
const DAY = 24 * 3_600_000;

/** Returns the day of a trade in India as a number of days since 1 January 1970. */
function dayNumber(trade: Trade): number {
  return Math.floor((Date.parse(trade.timestamp) + INDIA_OFFSET) / DAY);
}

/** Returns the items of the card list: the trades, with a heading before each day if they are sorted by time. */
export function cardItems({ trades, rows }: Pick<TradeList, "trades" | "rows">, byDay: boolean): CardItem[] {
  const items: CardItem[] = [];
  let heading: (CardItem & { kind: "day" }) | undefined;
  let headingDay: number | undefined;
  let firstRow = 0;

  for (const [row, trade] of trades.entries()) {
    const day = byDay ? dayNumber(trade) : undefined;
    if (day !== undefined && day !== headingDay) {
      if (heading) heading.trades = row - firstRow;
      heading = { kind: "day", timestamp: trade.timestamp, trades: undefined };
      items.push(heading);
      headingDay = day;
      firstRow = row;
    }
    items.push({ kind: "trade", row });
  }
  if (heading && trades.length === rows) heading.trades = rows - firstRow;
  for (let row = trades.length; row < rows; row += 1) items.push({ kind: "trade", row });
  return items;
}
