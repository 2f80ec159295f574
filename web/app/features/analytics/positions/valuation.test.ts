import { expect, it } from "vitest";
import {
  addDayPrices,
  type Prices,
  parsePrice,
  priceDays,
  totalOf,
  valuationOf,
} from "#features/analytics/positions/valuation.ts";
import type { Schemas } from "#lib/api.ts";

function position(symbol: string, side: "long" | "short", quantity: number, value: number) {
  const facts = { openedOn: "2026-01-05", expiry: null, awaitingSettlement: false, fraction: false };
  const book = { broker: "zerodha", tradetype: "equity", instrument: "equity" } as const;
  return { ...facts, ...book, symbol, side, quantity, value } satisfies Schemas["OpenPosition"];
}

const LONG = position("INFY", "long", 10, 14_000);
const SHORT = position("ITC", "short", 4, 1_600);

it("values long and short positions at the price, and adds up those with a price", () => {
  const prices: Prices = { INFY: { text: "1,450.255" }, ITC: { text: "₹450" } };
  expect(valuationOf(LONG, prices)).toEqual({ value: 14_502.55, result: 502.55 });
  expect(valuationOf(SHORT, prices)).toEqual({ value: 1_800, result: -200 });
  expect(totalOf([LONG, SHORT, position("TCS", "long", 1, 3_000)], prices)).toEqual({
    count: 2,
    result: 302.55,
  });
  expect(valuationOf(LONG, { INFY: { text: "abc" } })).toBeUndefined();
});

it("accepts prices of 0 and above with up to four decimals", () => {
  expect(["0", "0.05", "1,23,456.50", " 77.0625 "].map(parsePrice)).toEqual([0, 0.05, 123_456.5, 77.0625]);
  expect(["", "-1", "1.23456", "12 34", "1e5"].map(parsePrice)).toEqual(Array(5).fill(undefined));
});

it("keeps typed prices and those of a later day when a file is added", () => {
  const file = { day: "2026-11-27", prices: { INFY: 1500, ITC: 400, TCS: 3000 } };
  const before: Prices = {
    INFY: { text: "1450" },
    ITC: { text: "410", day: "2026-11-28" },
    TCS: { text: "" },
  };
  const after = addDayPrices(before, file);
  expect(after).toEqual({ ...before, TCS: { text: "3000", day: "2026-11-27" } });
  expect(priceDays([LONG, SHORT, position("TCS", "long", 1, 3_000)], after)).toEqual([
    "2026-11-27",
    "2026-11-28",
  ]);
});
