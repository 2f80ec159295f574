import { expect, test } from "vitest";
import type { Day } from "#features/analytics/analytics-api.ts";
import { curveShape, grossSums, LEFT, separateLabels } from "#features/analytics/charts/curve-shape.ts";

const day = (date: string, gross: number, equity: number, drawdown: number): Day => ({
  date,
  closedTrades: 1,
  gross,
  charges: 10,
  net: gross - 10,
  equity,
  drawdown,
});

const DAYS = [
  day("2025-04-01", 110, 100, 0),
  day("2025-04-02", -190, -100, -200),
  day("2025-04-11", 410, 300, 0),
];

test("spaces days by their distance and starts at zero on the day before the first", () => {
  const shape = curveShape(DAYS, 656, 0);
  expect(shape.net[0]?.[0]).toBe(LEFT);
  const step = (656 - LEFT) / 11;
  expect(shape.places).toEqual(
    [1, 2, 11].map((days) => LEFT + days * step).map((place) => expect.closeTo(place)),
  );
  expect(shape.net[0]?.[1]).toBe(shape.upper.y(0));
});

test("sums up gross results, and keeps every point inside its chart", () => {
  expect(grossSums(DAYS)).toEqual([110, -80, 330]);
  const { net, gross, drawdown, upper, lower } = curveShape(DAYS, 656, 0);
  for (const [, y] of [...net, ...gross]) {
    expect(y).toBeGreaterThanOrEqual(0);
    expect(y).toBeLessThanOrEqual(upper.bottom);
  }
  for (const [, y] of drawdown) {
    expect(y).toBeGreaterThanOrEqual(lower.top);
    expect(y).toBeLessThanOrEqual(lower.bottom);
  }
  expect(drawdown[2]?.[1]).toBe(lower.bottom);
});

test("lays out a single day without a drawdown", () => {
  const shape = curveShape([day("2025-04-01", 110, 100, 0)], 400, 0);
  expect(shape.places).toEqual([400]);
  expect(shape.drawdown.every(([, y]) => y === shape.lower.top)).toBe(true);
});

test.each([
  [10, 100, [10, 100]],
  [50, 60, [41, 69]],
  [60, 50, [69, 41]],
  [50, 50, [36, 64]],
])("separates labels at %d and %d", (first, second, places) =>
  expect(separateLabels(first, second, 28)).toEqual(places),
);
