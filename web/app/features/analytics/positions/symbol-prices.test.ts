import { expect, test } from "vitest";
import { symbolPrices } from "#features/analytics/positions/symbol-prices.ts";

test("prices are listed by symbol, once each, and only if they are valid", () => {
  const positions = ["M&M", "INFY", "INFY", "TCS", "ITC"].map((symbol) => ({ symbol }));
  const prices = {
    INFY: { text: "1,450.25" },
    TCS: { text: "3,10x" },
    "M&M": { text: "0", day: "2026-11-27" },
    SOLD: { text: "5" },
  };
  expect(symbolPrices(positions, prices)).toBe("M&M:0,INFY:1450.25");
  expect(symbolPrices(positions, {})).toBe("");
});

test("at most 200 prices are listed", () => {
  const symbols = Array.from({ length: 201 }, (_, index) => `S${index}`);
  const prices = Object.fromEntries(symbols.map((symbol) => [symbol, { text: "1" }]));
  const listed = symbolPrices(
    symbols.map((symbol) => ({ symbol })),
    prices,
  );
  expect(listed.split(",")).toHaveLength(200);
});

test("at most 4,000 characters are listed", () => {
  const symbols = Array.from({ length: 100 }, (_, index) => `${index}`.padStart(60, "S"));
  const prices = Object.fromEntries(symbols.map((symbol) => [symbol, { text: "1" }]));
  const listed = symbolPrices(
    symbols.map((symbol) => ({ symbol })),
    prices,
  );
  expect(listed.length).toBeGreaterThan(3900);
  expect(listed.length).toBeLessThanOrEqual(4000);
});
