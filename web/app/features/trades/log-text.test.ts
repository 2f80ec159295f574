import { expect, it } from "vitest";
import { phone, rowCount, tradeText } from "#features/trades/log-text.ts";

it.each([
  [212, 1518, true, "212 of 1,518 trades, newest first"],
  [1518, 1518, false, "1,518 trades, newest first"],
  [1, 1, false, "1 trade, newest first"],
  [0, 1518, true, "0 of 1,518 trades"],
  [0, 0, false, "0 trades"],
  [100_000, 100_000, false, "1,00,000 trades, newest first"],
])("%i of %i, filtered %j: %s", (shown, all, filtered, text) => {
  expect(rowCount(shown, all, filtered, "-timestamp")).toBe(text);
});

it("[2H-02] [2H-04] describes a row in the order of the columns and in India time", () => {
  const trade = {
    _id: "1",
    type: "sell",
    symbol: "M&M",
    quantity: 60,
    price: 3181.4,
    value: 190884,
    timestamp: "2025-06-20T07:45:00Z",
    timePrecision: "second",
    broker: "zerodha",
    tradetype: "equity",
    exchange: "NSE",
  } as const;
  expect(tradeText(trade)).toBe("SELL M&M, 60 at ₹3,181.40, 20 Jun 2025, 1:15 pm, Zerodha");
  expect(tradeText({ ...trade, timePrecision: "day" })).toBe(
    "SELL M&M, 60 at ₹3,181.40, 20 Jun 2025, Zerodha",
  );
});

it("divides a phone number into two groups of five", () => {
  expect(phone("9820041537")).toBe("98200 41537");
  expect(phone("")).toBe("");
});
