import { expect, test } from "vitest";
import {
  parseStrategyFilters,
  strategyGroupName,
  strategyQuery,
  writeStrategyFilters,
} from "#features/analytics/strategies/strategies-view.ts";

test("invalid filters of an address are ignored", () => {
  const params = new URLSearchParams(
    "shape=circle&state=closed&broker=groww-2&symbol= NIFTY &from=2026-13-01&to=2026-11-30",
  );
  expect(strategyQuery(parseStrategyFilters(params))).toEqual({
    state: "closed",
    broker: "groww",
    brokerAccount: 2,
    symbol: "NIFTY",
    to: "2026-11-30",
  });
});

test("a period that ends before its start has no end", () => {
  const params = new URLSearchParams("from=2026-11-30&to=2026-11-01");
  expect(strategyQuery(parseStrategyFilters(params))).toEqual({ from: "2026-11-30" });
});

test("a change keeps the other parameters", () => {
  const params = new URLSearchParams("groups=width&shape=collar&symbol=TCS");
  expect(writeStrategyFilters(params, { shape: "ironCondor", symbol: "" }).toString()).toBe(
    "groups=width&shape=ironCondor",
  );
});

test.each([
  ["shape", "ironCondor", "Iron condor"],
  ["underlying", "NIFTY", "NIFTY"],
  ["daysToExpiryAtEntry", "0", "Expiry day"],
  ["daysToExpiryAtExit", "3", "3 days"],
  ["weekday", "5", "Friday"],
  ["width", "1000", "1,000 points wide"],
  ["adjusted", "no", "Not adjusted"],
  ["risk", "undefined", "Undefined risk"],
] as const)("by %s, the group %s is %s", (by, key, name) => expect(strategyGroupName(by, key)).toBe(name));
