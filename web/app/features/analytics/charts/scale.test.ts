import { describe, expect, test } from "vitest";
import { bandPath, linear, linePath, nearest, niceStep, ticks } from "#features/analytics/charts/scale.ts";

describe("linear", () => {
  test("maps values between two ends, in either direction", () => {
    const y = linear([-50, 150], [200, 0]);
    expect([y(-50), y(50), y(150)]).toEqual([200, 100, 0]);
  });
  test("maps equal values to the middle", () => {
    expect(linear([5, 5], [0, 80])(5)).toBe(40);
  });
});

test.each([
  [0.4, 0.5],
  [1, 1],
  [1.1, 2],
  [2_400, 5_000],
  [20_000, 20_000],
  [70_000, 100_000],
  [0, 1],
])("a step of at least %d is %d", (size, step) => expect(niceStep(size)).toBeCloseTo(step));

describe("ticks", () => {
  test.each([
    [-34_124, 0, 2, [-40_000, -20_000, 0]],
    [-9_000, 142_954, 4, [-50_000, 0, 50_000, 100_000, 150_000]],
    [0, 100, 4, [0, 50, 100]],
    [0, 0, 4, [0, 1]],
    [700, 700, 2, [0, 500, 1_000]],
    [-700, -700, 2, [-1_000, -500, 0]],
  ])("from %d to %d", (low, high, count, marks) => expect(ticks(low, high, count)).toEqual(marks));

  test("enclose every value", () => {
    for (const [low, high] of [
      [-1, 1],
      [3.3, 3.4],
      [-123_456, 98],
      [1e-3, 1e9],
    ] as const) {
      const marks = ticks(low, high, 4);
      expect(marks[0]).toBeLessThanOrEqual(low + 1e-9);
      expect(marks.at(-1)).toBeGreaterThanOrEqual(high - 1e-9);
    }
  });
});

test("draws a line from point to point, rounded to a tenth of a pixel", () => {
  expect(
    linePath([
      [0, 1.26],
      [10.04, 2],
    ]),
  ).toBe("M0 1.3L10 2");
  expect(linePath([])).toBe("");
});

test("draws a band along one line and back along the other", () => {
  const upper = [
    [0, 0],
    [9, 0],
  ] as const;
  const lower = [
    [0, 5],
    [9, 5],
  ] as const;
  expect(bandPath(upper, lower)).toBe("M0 0L9 0L9 5L0 5Z");
  expect(bandPath([], [])).toBe("");
});

test.each([
  [-5, 0],
  [4, 0],
  [6, 1],
  [25, 2],
  [99, 3],
])("at %d the nearest of 0, 10, 20, 40 is number %d", (at, index) =>
  expect(nearest([0, 10, 20, 40], at)).toBe(index),
);
