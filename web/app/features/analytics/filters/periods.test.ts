import { expect, test } from "vitest";
import { financialYear, namedPeriod, periods, yearName } from "#features/analytics/filters/periods.ts";

test.each([
  ["2026-03-31", 2025],
  ["2026-04-01", 2026],
  ["2025-12-31", 2025],
])("%s is in the financial year from April %d", (day, year) => expect(financialYear(day)).toBe(year));

test("names a financial year by both calendar years", () => {
  expect([2025, 1999, 2009].map(yearName)).toEqual(["FY 2025–26", "FY 1999–00", "FY 2009–10"]);
});

test("lists recent periods until today, and whole months and financial years", () => {
  const list = periods("2026-03-05", "2024-06-01");
  expect(list.map(({ label, from, to }) => [label, from, to])).toEqual([
    ["All time", "", ""],
    ["Last 7 days", "2026-02-27", "2026-03-05"],
    ["Last 30 days", "2026-02-04", "2026-03-05"],
    ["This month", "2026-03-01", "2026-03-05"],
    ["Last month", "2026-02-01", "2026-02-28"],
    ["FY 2025–26", "2025-04-01", "2026-03-31"],
    ["FY 2024–25", "2024-04-01", "2025-03-31"],
  ]);
});

test("lists financial years back to the first trade, or three if there is none", () => {
  const years = (first: string | undefined) =>
    periods("2026-11-20", first).filter(({ label }) => /^FY/.test(label));
  expect(years("2019-04-01")).toHaveLength(8);
  expect(years("2030-01-01")).toHaveLength(1);
  expect(years(undefined)).toHaveLength(3);
});

test("finds the named period with the given days", () => {
  const list = periods("2026-11-20", undefined);
  expect(namedPeriod(list, { from: "2025-04-01", to: "2026-03-31" })?.label).toBe("FY 2025–26");
  expect(namedPeriod(list, { from: "2025-04-02", to: "2026-03-31" })).toBeUndefined();
});
