import { expect, it } from "vitest";
import type { Preview } from "#features/import/preview.ts";
import { aPreview, warning } from "#features/import/preview-fixture.ts";
import { filterCounts, filterPreview } from "#features/import/review-filters.ts";

const trade = (row: number, outcome: Preview["sample"][number]["outcome"]) =>
  ({
    row,
    outcome,
    type: "buy",
    symbol: "INFY",
    quantity: 1,
    price: 2,
    timestamp: "2025-04-01T03:45:00Z",
    timePrecision: "second",
    exchange: "NSE",
  }) as const;

const MIXED: Preview = {
  ...aPreview,
  rows: 1_101,
  added: 825,
  duplicates: 266,
  conflictTotal: 2,
  rejected: [{ ...warning("side_unknown"), row: 302 }],
  rejectedTotal: 4,
  warnings: [warning("price_outlier")],
  warningTotal: 8,
  sample: [trade(16, "duplicate"), trade(17, "added"), trade(18, "conflict")],
};

it("counts a conflict once, not as already there", () => {
  expect(filterCounts(MIXED)).toEqual({
    all: 1_101,
    added: 825,
    duplicate: 264,
    conflict: 2,
    warning: 8,
    skipped: 4,
  });
});

it("shows the rows of each filter", () => {
  const rows = (filter: Parameters<typeof filterPreview>[0]) => {
    const { issues, sample } = filterPreview(filter, MIXED);
    return [issues.map(({ row }) => row), sample.map(({ row }) => row)];
  };
  expect(rows("all")).toEqual([
    [302, 9],
    [16, 17, 18],
  ]);
  expect(rows("added")).toEqual([[], [17]]);
  expect(rows("duplicate")).toEqual([[], [16]]);
  expect(rows("warning")).toEqual([[9], []]);
  expect(rows("skipped")).toEqual([[302], []]);
  expect(rows("conflict")).toEqual([[], []]);
});
