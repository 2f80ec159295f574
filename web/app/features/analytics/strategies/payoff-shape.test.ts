import { describe, expect, test } from "vitest";
import { linear } from "#features/analytics/charts/scale.ts";
import {
  BOTTOM,
  LEFT,
  labelledStrikes,
  payoffShape,
  profitAt,
  withCrossings,
} from "#features/analytics/strategies/payoff-shape.ts";

/** Short straddle at 100: 20 at the strike, break-evens at 80 and 120. */
const STRADDLE = [
  { price: 60, profit: -20 },
  { price: 100, profit: 20 },
  { price: 140, profit: -20 },
];

describe("the profit at a price", () => {
  test("lies on the line between two corners", () => expect(profitAt(STRADDLE, 90)).toBe(10));
  test("is that of a corner", () => expect(profitAt(STRADDLE, 100)).toBe(20));
  test("continues beyond the corners", () => {
    expect([profitAt(STRADDLE, 40), profitAt(STRADDLE, 150)]).toEqual([-40, -30]);
  });
  test("is 0 without a line", () => expect(profitAt([], 90)).toBe(0));
});

describe("the layout of the chart", () => {
  const input = { points: STRADDLE, breakEvens: [80, 120], firstPoints: [], result: undefined };
  const shape = payoffShape(input, 464);

  test("ends near the break-evens and uses the whole width", () => {
    expect([shape.x(68), shape.x(132)]).toEqual([LEFT, shape.right]);
    expect(shape.line[0]?.[0]).toBe(LEFT);
    expect(shape.line.at(-1)?.[0]).toBe(shape.right);
  });

  test("fills profit and loss up to the break-evens", () => {
    expect(shape.zero).toHaveLength(5);
    expect(shape.profit.map(([, y]) => y === shape.y(0))).toEqual([true, true, false, true, true]);
    expect(shape.loss.map(([, y]) => y === shape.y(0))).toEqual([false, true, true, true, false]);
  });

  test("offers corners and break-evens between even steps", () => {
    expect(shape.prices).toEqual([...new Set(shape.prices)].toSorted((a, b) => a - b));
    for (const price of [80, 100, 120]) expect(shape.prices).toContain(price);
    expect(shape.places).toHaveLength(shape.prices.length);
  });

  test("has room for the first payoff and the result", () => {
    const firstPoints = [
      { price: 80, profit: 10 },
      { price: 160, profit: -30 },
    ];
    const both = payoffShape({ ...input, firstPoints, result: -70 }, 464);
    expect(both.first.map(([x]) => x)).toEqual([LEFT, both.x(80), both.right]);
    expect(both.line.at(-1)?.[0]).toBe(both.right);
    expect(both.y(-70)).toBeLessThanOrEqual(BOTTOM);
  });
});

test("a line that jumps over zero crosses it at the price of the jump", () => {
  const jump = [
    { price: 100, profit: 5 },
    { price: 100, profit: -5 },
  ];
  expect(withCrossings(jump)).toEqual([jump[0], { price: 100, profit: 0 }, jump[1]]);
});

test("strikes too close to others have no label", () => {
  expect(labelledStrikes([100, 110, 200, 290, 300], linear([100, 300], [0, 200]), 48)).toEqual([
    100, 200, 300,
  ]);
});
