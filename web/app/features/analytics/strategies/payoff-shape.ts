import { linear, niceStep, type Point, type Scale, ticks } from "#features/analytics/charts/scale.ts";

type PayoffPoint = { price: number; profit: number };

// Sizes in pixels.
export const LEFT = 56;
const RIGHT = 8;
const TOP = 26;
export const BOTTOM = 252;
export const HEIGHT = BOTTOM + 30;

/** About this many prices can be selected by pointer and keyboard, beside the corners and break-evens. */
const STEPS = 40;

/** Room left and right of the corners, as a share of their distance. */
const MARGIN = 0.3;

export type PayoffInput = {
  points: readonly PayoffPoint[];
  breakEvens: readonly number[];
  /** Payoff as first opened; empty if nothing was changed. */
  firstPoints: readonly PayoffPoint[];
  /** Net result of a closed strategy. */
  result: number | undefined;
};

export type PayoffShape = {
  right: number;
  x: Scale;
  y: Scale;
  marks: number[];
  line: Point[];
  first: Point[];
  /** The line where it is above and below zero; at zero elsewhere. */
  profit: Point[];
  loss: Point[];
  zero: Point[];
  /** Prices that can be selected, and their positions. */
  prices: number[];
  places: number[];
};

/** Returns the profit at a price; beyond the corners the first and last lines continue. */
export function profitAt(points: readonly PayoffPoint[], price: number): number {
  const after = points.findIndex((point) => point.price >= price);
  const right = after < 0 ? points.length - 1 : Math.max(after, 1);
  const [from, to] = [points[right - 1], points[right]];
  if (!from || !to) return points[0]?.profit ?? 0;
  if (from.price === to.price) return to.profit;
  return from.profit + ((price - from.price) / (to.price - from.price)) * (to.profit - from.profit);
}

/** Calculates the layout of the payoff chart. */
export function payoffShape(
  { points, breakEvens, firstPoints, result }: PayoffInput,
  width: number,
): PayoffShape {
  const [low, high] = priceRange({ points, breakEvens, firstPoints });
  const [last, first] = [extended(points, low, high), extended(firstPoints, low, high)];
  const profits = [...last, ...first].map(({ profit }) => profit);
  const marks = ticks(Math.min(0, result ?? 0, ...profits), Math.max(0, result ?? 0, ...profits), 4);
  const right = width - RIGHT;
  const x = linear([low, high], [LEFT, right]);
  const y = linear([marks[0] ?? 0, marks.at(-1) ?? 1], [BOTTOM, TOP]);
  const place = ({ price, profit }: PayoffPoint): Point => [x(price), y(profit)];
  const crossed = withCrossings(last);
  const prices = selectablePrices([...points.map(({ price }) => price), ...breakEvens], low, high);
  return {
    right,
    x,
    y,
    marks,
    line: last.map(place),
    first: first.map(place),
    profit: crossed.map(({ price, profit }) => place({ price, profit: Math.max(profit, 0) })),
    loss: crossed.map(({ price, profit }) => place({ price, profit: Math.min(profit, 0) })),
    zero: crossed.map(({ price }) => place({ price, profit: 0 })),
    prices,
    places: prices.map(x),
  };
}

/** Returns the prices at both ends of the chart: within the lines, near their corners and break-evens. */
function priceRange({ points, breakEvens, firstPoints }: Omit<PayoffInput, "result">): [number, number] {
  const all = [...points, ...firstPoints].map(({ price }) => price);
  const [lowest, highest] = [Math.min(...all), Math.max(...all)];
  const corners = [...points.slice(1, -1), ...firstPoints.slice(1, -1)].map(({ price }) => price);
  const [first, last] = [Math.min(...corners, ...breakEvens), Math.max(...corners, ...breakEvens)];
  const margin = (last - first) * MARGIN;
  if (!(margin > 0)) return [lowest, highest];
  return [Math.max(lowest, first - margin), Math.min(highest, last + margin)];
}

/** Continues the first and last lines to both ends of the chart, or cuts them there. */
function extended(points: readonly PayoffPoint[], low: number, high: number): PayoffPoint[] {
  if (points.length === 0) return [];
  const at = (price: number) => ({ price, profit: profitAt(points, price) });
  return [at(low), ...points.filter(({ price }) => price > low && price < high), at(high)];
}

/** Adds the points where the line crosses zero. */
export function withCrossings(points: readonly PayoffPoint[]): PayoffPoint[] {
  return points.flatMap((point, index) => {
    const previous = points[index - 1];
    if (!previous || previous.profit * point.profit >= 0) return [point];
    const share = previous.profit / (previous.profit - point.profit);
    return [{ price: previous.price + share * (point.price - previous.price), profit: 0 }, point];
  });
}

function selectablePrices(corners: readonly number[], low: number, high: number): number[] {
  const step = niceStep((high - low) / STEPS);
  const first = Math.ceil(low / step);
  const steps = Array.from(
    { length: Math.max(Math.floor(high / step) - first + 1, 0) },
    (_, n) => (first + n) * step,
  );
  const inside = [...corners, ...steps].filter((price) => price >= low && price <= high);
  return [...new Set(inside)].sort((a, b) => a - b);
}

/** Returns the strikes whose labels fit beside each other, at least `room` pixels apart; the ends come first. */
export function labelledStrikes(strikes: readonly number[], x: Scale, room: number): number[] {
  const kept: number[] = [];
  const ends = [strikes[0], strikes.at(-1)].filter((strike) => strike !== undefined);
  for (const strike of [...ends, ...strikes])
    if (kept.every((other) => other !== strike && Math.abs(x(other) - x(strike)) >= room)) kept.push(strike);
  return kept.sort((a, b) => a - b);
}
