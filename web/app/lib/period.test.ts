import { expect, it } from "vitest";
import { period } from "#lib/period.ts";

it.each([
  ["2025-06-01", "2025-06-20", "1 to 20 Jun 2025"],
  ["2025-04-01", "2025-06-20", "1 Apr to 20 Jun 2025"],
  ["2024-04-01", "2025-03-31", "1 Apr 2024 to 31 Mar 2025"],
  ["2025-06-20", "2025-06-20", "20 Jun 2025"],
  ["2025-06-01", "", "From 1 Jun 2025"],
  ["", "2025-06-20", "Until 20 Jun 2025"],
  [null, null, ""],
  ["2025-06-19T20:00:00Z", "2025-06-20T09:00:00Z", "20 Jun 2025"],
])("from %j to %j is %j", (from, to, text) => {
  expect(period(from, to)).toBe(text);
});
