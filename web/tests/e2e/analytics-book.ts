import { writeFile } from "node:fs/promises";
import { join } from "node:path";

export type Fill = {
  symbol: string;
  side: "buy" | "sell";
  quantity: number;
  price: number;
  at: string;
  /** Day of expiry of a contract; absent for shares. */
  expiry?: string;
};

/** Returns a working day; index 0 is Monday 2 June 2025. */
export function workingDay(index: number): string {
  const at = new Date(Date.UTC(2025, 5, 2 + index + 2 * Math.floor(index / 5)));
  return at.toISOString().slice(0, 10);
}

/**
 * Ten INFY bought at 9:30 for 1,500 and sold at 11:00 on each of 24 days: 20 higher on two of three days, 15 lower on
 * the third. Result: 16 × 200 − 8 × 150 = 2,000.
 */
export const INTRADAY: readonly Fill[] = Array.from({ length: 24 }, (_, index) => [
  { symbol: "INFY", side: "buy" as const, quantity: 10, price: 1_500, at: `${workingDay(index)}T09:30:00` },
  {
    symbol: "INFY",
    side: "sell" as const,
    quantity: 10,
    price: index % 3 === 2 ? 1_485 : 1_520,
    at: `${workingDay(index)}T11:00:00`,
  },
]).flat();

/** Held for a month. Result: 5 × 100 = 500. */
export const DELIVERY: readonly Fill[] = [
  { symbol: "TCS", side: "buy", quantity: 5, price: 3_000, at: "2025-06-03T10:05:00" },
  { symbol: "TCS", side: "sell", quantity: 5, price: 3_100, at: "2025-07-04T14:10:00" },
];

/** Trades of another tradebook. Result: 25 × 86.43 = 2,160.75. */
export const LATER: readonly Fill[] = [
  { symbol: "HDFCBANK", side: "buy", quantity: 25, price: 1_642, at: "2025-06-16T10:05:00" },
  { symbol: "HDFCBANK", side: "sell", quantity: 25, price: 1_728.43, at: "2025-07-01T14:10:00" },
];

/** A sell without its buy, which is before the first trade of the book. */
export const MISSING_COST_BASIS: readonly Fill[] = [
  { symbol: "WIPRO", side: "sell", quantity: 20, price: 250, at: "2025-07-10T12:20:00" },
];

/**
 * Shares of five years. The split 10:1 of January 2024 and the bonus 1:1 of August 2025 are not in it: 10 bought for
 * 2,00,000 and 20 for 50,000 became 240. Result: 240 × 1,200 − 2,50,000 = 38,000, and 10 × 50 = 500.
 */
export const FIVE_YEARS: readonly Fill[] = [
  { symbol: "INFY", side: "buy", quantity: 10, price: 1_700, at: "2021-12-01T10:05:00" },
  { symbol: "INFY", side: "sell", quantity: 10, price: 1_750, at: "2022-02-01T10:05:00" },
  { symbol: "NESTLEIND", side: "buy", quantity: 10, price: 20_000, at: "2023-06-01T10:05:00" },
  { symbol: "NESTLEIND", side: "buy", quantity: 20, price: 2_500, at: "2024-03-01T10:05:00" },
  { symbol: "NESTLEIND", side: "sell", quantity: 240, price: 1_200, at: "2025-09-15T10:05:00" },
];

const HEADER =
  "symbol,isin,trade_date,exchange,segment,series,trade_type,auction,quantity,price,trade_id,order_id,order_execution_time";
const ISIN: Readonly<Record<string, string>> = {
  INFY: "INE009A01021",
  TCS: "INE467B01029",
  HDFCBANK: "INE040A01034",
  WIPRO: "INE075A01022",
  NESTLEIND: "INE239A01024",
};

/** Writes a Zerodha tradebook with these fills of shares or of contracts, one order each; returns its path. */
export async function writeTradebook(name: string, fills: readonly Fill[]): Promise<string> {
  const isFno = fills.some(({ expiry }) => expiry);
  const rows = fills.map(({ symbol, side, quantity, price, at, expiry }, index) =>
    [
      ...[symbol, ISIN[symbol] ?? "", at.slice(0, 10), "NSE"],
      ...[...(expiry ? ["FO", ""] : ["EQ", "EQ"]), side, "false"],
      ...[quantity.toFixed(6), price.toFixed(6), 75_000_000 + index, `11000000${10_000_000 + index}`, at],
      ...(expiry ? [expiry] : []),
    ].join(","),
  );
  const path = join(process.env.E2E_FILES ?? "", `${name}.csv`);
  await writeFile(path, `${[isFno ? `${HEADER},expiry_date` : HEADER, ...rows].join("\n")}\n`);
  return path;
}
