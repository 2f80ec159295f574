import { expect, test } from "vitest";
import { heatSteps, shade } from "#features/analytics/charts/heat-scale.tsx";

test("calculates round, ascending steps from the values", () => {
  const values = Array.from({ length: 100 }, (_, index) => (index % 2 ? 1 : -1) * (index + 1) * 130);
  const steps = heatSteps(values);
  expect(steps).toEqual([10_000, 20_000, 40_000]);
  expect(heatSteps([])[0]).toBeGreaterThan(0);
});

test("chooses a shade by sign and size, and none for zero", () => {
  const steps = [1_000, 5_000, 10_000] as const;
  expect([0, 1, 999, 1_000, 5_000, 10_000].map((value) => shade(value, steps))).toEqual([0, 1, 1, 2, 3, 4]);
  expect([-1, -5_000, -1e9].map((value) => shade(value, steps))).toEqual([-1, -3, -4]);
});
