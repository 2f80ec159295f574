import type { Sort } from "#features/trades/log-view.ts";
import type { Schemas } from "#lib/api.ts";
import { brokerAccountName } from "#lib/books.ts";
import { tradeName } from "#lib/contract.ts";
import { count, dateTime, inrPaise, plural } from "#lib/format.ts";

export const SORT_LABELS: Readonly<Record<Sort, string>> = {
  "-timestamp": "newest first",
  timestamp: "oldest first",
  symbol: "symbols A to Z",
  "-symbol": "symbols Z to A",
  "-quantity": "largest quantity first",
  quantity: "smallest quantity first",
  "-price": "highest price first",
  price: "lowest price first",
  type: "BUY first",
  "-type": "SELL first",
  broker: "brokers A to Z",
  "-broker": "brokers Z to A",
};

/** Returns the number of shown trades and the order: "212 of 1,518 trades, newest first". */
export function rowCount(shown: number, all: number, filtered: boolean, sort: Sort): string {
  const number = filtered ? `${count(shown)} of ${plural(all, "trade")}` : plural(all, "trade");
  return shown === 0 ? number : `${number}, ${SORT_LABELS[sort]}`;
}

/** Describes a row in a sentence, for screen readers. */
export function tradeText(trade: Schemas["Trade"]): string {
  const side = trade.type === "buy" ? "BUY" : "SELL";
  const when = dateTime(trade.timestamp, trade.timePrecision);
  return `${side} ${tradeName(trade)}, ${count(trade.quantity)} at ${inrPaise(trade.price)}, ${when}, ${brokerAccountName(trade)}`;
}

/** Formats a 10-digit number as 98200 41537; returns other texts unchanged. */
export function phone(number: string): string {
  return /^\d{10}$/.test(number) ? `${number.slice(0, 5)} ${number.slice(5)}` : number;
}
