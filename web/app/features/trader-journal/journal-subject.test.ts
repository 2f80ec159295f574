import { expect, test } from "vitest";
import { strategySubject } from "#features/trader-journal/journal-subject.ts";

test("the subject of a strategy has its underlying and the day in India on which it was opened", () => {
  const strategy = { id: "0123456789abcdef0123", underlying: "NIFTY", openedAt: "2026-11-11T19:00:00Z" };
  expect(strategySubject(strategy)).toEqual({
    kind: "strategy",
    key: "0123456789abcdef0123",
    symbol: "NIFTY",
    day: "2026-11-12",
  });
});

test("a long symbol is cut to the limit of the API", () => {
  const strategy = { id: "0", underlying: "N".repeat(101), openedAt: "2026-11-12T05:00:00Z" };
  expect(strategySubject(strategy).symbol).toHaveLength(100);
});
