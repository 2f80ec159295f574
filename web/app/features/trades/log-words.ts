import { brokerName } from "#content/books.ts";
import type { Sort } from "#features/trades/log-view.ts";
import type { Schemas } from "#lib/api.ts";
import { tradeName } from "#lib/contract.ts";
import { count, dateTime, inrPaise, plural } from "#lib/format.ts";

export const SORT_WORDS: Readonly<Record<Sort, string>> = {
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

/** "212 of 1,518 trades, newest first": how many are shown, of how many there are. */
export function rowCount(shown: number, all: number, filtered: boolean, sort: Sort): string {
  const number = filtered ? `${count(shown)} of ${plural(all, "trade")}` : plural(all, "trade");
  return shown === 0 ? number : `${number}, ${SORT_WORDS[sort]}`;
}

/** A row as one sentence, for those who move in the table by keys and hear it. */
export function tradeWords(trade: Schemas["Trade"]): string {
  const side = trade.type === "buy" ? "BUY" : "SELL";
  const when = dateTime(trade.timestamp, trade.timePrecision);
  return `${side} ${tradeName(trade)}, ${count(trade.quantity)} at ${inrPaise(trade.price)}, ${when}, ${brokerName(trade.broker)}`;
}

/** 98200 41537, as numbers are written in India; anything else as it is. */
export function phone(number: string): string {
  return /^\d{10}$/.test(number) ? `${number.slice(0, 5)} ${number.slice(5)}` : number;
}
