/** From a value to its place on the paper. */
export type Scale = (value: number) => number;

export type Point = readonly [x: number, y: number];

export function linear([low, high]: readonly [number, number], [from, to]: readonly [number, number]): Scale {
  const span = high - low;
  // Values that are all the same lie in the middle.
  if (span === 0) return () => (from + to) / 2;
  return (value) => from + ((value - low) / span) * (to - from);
}

/** 1, 2 or 5 times a power of ten: steps that one can reckon with, at least `size` wide. */
export function niceStep(size: number): number {
  if (!(size > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(size));
  const times = size / power;
  // Within rounding, so that a size that is nice already stays.
  const nice = [1, 2, 5].find((step) => times <= step * (1 + 1e-9)) ?? 10;
  return nice * power;
}

/** Marks from below the lowest value to above the highest, about `count` of them; zero is one where it lies between. */
export function ticks(low: number, high: number, count: number): number[] {
  if (low === high) return low === 0 ? [0, 1] : ticks(Math.min(low, 0), Math.max(high, 0), count);
  const step = niceStep((high - low) / count);
  const first = Math.floor(low / step + 1e-9);
  const last = Math.ceil(high / step - 1e-9);
  return Array.from({ length: last - first + 1 }, (_, index) => (first + index) * step);
}

export function linePath(points: readonly Point[]): string {
  return points.map(([x, y], index) => `${index === 0 ? "M" : "L"}${short(x)} ${short(y)}`).join("");
}

/** What lies between two lines that share their places from left to right. */
export function bandPath(upper: readonly Point[], lower: readonly Point[]): string {
  if (upper.length === 0) return "";
  return `${linePath([...upper, ...lower.toReversed()])}Z`;
}

/** A tenth of a pixel is nothing that one sees, and thousands of points are long enough. */
function short(value: number): string {
  return String(Math.round(value * 10) / 10);
}

/** The value whose place is nearest, in a list that ascends. */
export function nearest(places: readonly number[], at: number): number {
  let low = 0;
  let high = places.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((places[middle] ?? 0) < at) low = middle;
    else high = middle;
  }
  return at - (places[low] ?? 0) <= (places[high] ?? 0) - at ? low : Math.max(high, 0);
}
