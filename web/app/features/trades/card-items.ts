import type { Trade } from "#features/trades/trade-pages.ts";
import type { TradeList } from "#features/trades/use-trade-log.ts";

export type CardItem =
  | {
      kind: "day";
      timestamp: string /** Undefined while more of the day may come. */;
      trades: number | undefined;
    }
  | { kind: "trade"; row: number };

const INDIA = 5.5 * 3_600_000;
const DAY = 24 * 3_600_000;

/** The day in India, as a number: there is no summer time, so it can be reckoned. */
function dayOf(trade: Trade): number {
  return Math.floor((Date.parse(trade.timestamp) + INDIA) / DAY);
}

/** Entries under the heads of their days, where the order is by time; without heads otherwise. */
export function cardItems({ trades, rows }: Pick<TradeList, "trades" | "rows">, byDay: boolean): CardItem[] {
  const items: CardItem[] = [];
  let head: (CardItem & { kind: "day" }) | undefined;
  let day: number | undefined;
  let since = 0;

  for (const [row, trade] of trades.entries()) {
    const today = byDay ? dayOf(trade) : undefined;
    if (today !== undefined && today !== day) {
      if (head) head.trades = row - since;
      head = { kind: "day", timestamp: trade.timestamp, trades: undefined };
      items.push(head);
      day = today;
      since = row;
    }
    items.push({ kind: "trade", row });
  }
  if (head && trades.length === rows) head.trades = rows - since;
  for (let row = trades.length; row < rows; row += 1) items.push({ kind: "trade", row });
  return items;
}
