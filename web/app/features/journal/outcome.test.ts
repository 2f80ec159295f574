import { describe, expect, test } from "vitest";
import { calculateOutcome } from "#features/journal/outcome.ts";

const CASES = [
  // buy, sell, quantity, P&L, status
  ["1588.40", "1602.55", "75", 1061.25, "WIN"],
  ["500", "490", "10", -100, "LOSS"],
  ["0.1", "0.3", "3", 0.6, "WIN"],
  ["86.4250", "86.5175", "5000", 462.5, "WIN"],
  ["8500000", "8740000", "0.025", 6000, "WIN"],
  ["100", "100", "5", 0, "LOSS"],
  ["100", "100.005", "1", 0.01, "WIN"],
  ["100.005", "100", "1", -0.01, "LOSS"],
  ["100", "100.0001", "0.5", 0, "WIN"],
  ["1", "99999999999.99", "1", 99999999998.99, "WIN"],
  [".5", "1.", "2", 1, "WIN"],
] as const;

describe("[3K-02] [3K-03] [4K-04] the outcome of a trade", () => {
  test.each(CASES)(
    "bought at %s, sold at %s, quantity %s: %d, %s",
    (buyPrice, sellPrice, quantity, pnl, status) => {
      expect(calculateOutcome({ buyPrice, sellPrice, quantity })).toEqual({ pnl, status });
    },
  );

  test.each(["", " ", ".", "1e5", "-1", "1.00001", "abc"])(
    "undefined while the buy price is %j",
    (buyPrice) => {
      expect(calculateOutcome({ buyPrice, sellPrice: "2", quantity: "1" })).toBeUndefined();
    },
  );
});
