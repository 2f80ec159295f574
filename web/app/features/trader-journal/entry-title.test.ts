import { expect, test } from "vitest";
import { entryPath, entryTitle } from "#features/trader-journal/entry-title.ts";

test.each([
  ["position", "INFY", "INFY, 12 Nov 2026"],
  ["position", "", "Position, 12 Nov 2026"],
  ["strategy", "NIFTY", "NIFTY strategy, 12 Nov 2026"],
  ["strategy", "", "Strategy, 12 Nov 2026"],
  ["day", "", "Thursday 12 November 2026"],
  ["week", "", "Week from 12 Nov 2026"],
  ["month", "", "Month from 12 Nov 2026"],
] as const)("names the entry of a %s with the symbol '%s'", (kind, symbol, title) => {
  expect(entryTitle({ kind, symbol, day: "2026-11-12" })).toBe(title);
});

test.each([
  ["position", "/analytics/positions/0123456789abcdef0123"],
  ["strategy", "/analytics/strategies/0123456789abcdef0123"],
  ["day", "/journal/2026-11-12"],
  ["week", "/journal/2026-11-12?period=week"],
  ["month", "/journal/2026-11-12?period=month"],
] as const)("links the entry of a %s to its page", (kind, path) => {
  expect(entryPath({ kind, key: "0123456789abcdef0123", day: "2026-11-12" })).toBe(path);
});
