/** Maps a value to a position in pixels. */
export type Scale = (value: number) => number;

export type Point = readonly [x: number, y: number];

export function linear([low, high]: readonly [number, number], [from, to]: readonly [number, number]): Scale {
  const span = high - low;
  // If all values are the same, they are drawn in the middle.
  if (span === 0) return () => (from + to) / 2;
  return (value) => from + ((value - low) / span) * (to - from);
}

/** Returns the smallest step of 1, 2 or 5 times a power of ten that is at least `size`. */
export function niceStep(size: number): number {
  if (!(size > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(size));
  const times = size / power;
  // The tolerance keeps a size that is already such a step, in spite of rounding errors.
  const nice = [1, 2, 5].find((step) => times <= step * (1 + 1e-9)) ?? 10;
  return nice * power;
}

/** Returns about `count` marks that enclose all values; 0 is one of them if it lies between the values. */
export function ticks(low: number, high: number, count: number): number[] {
  if (low === high) return low === 0 ? [0, 1] : ticks(Math.min(low, 0), Math.max(high, 0), count);
  const step = niceStep((high - low) / count);
  const first = Math.floor(low / step + 1e-9);
  const last = Math.ceil(high / step - 1e-9);
  return Array.from({ length: last - first + 1 }, (_, index) => (first + index) * step);
}

export function linePath(points: readonly Point[]): string {
  return points.map(([x, y], index) => `${index === 0 ? "M" : "L"}${tenth(x)} ${tenth(y)}`).join("");
}

/** Returns the path of the area between two lines with the same horizontal positions. */
export function bandPath(upper: readonly Point[], lower: readonly Point[]): string {
  if (upper.length === 0) return "";
  return `${linePath([...upper, ...lower.toReversed()])}Z`;
}

/** Rounds to a tenth of a pixel, which keeps paths of thousands of points short. */
function tenth(value: number): string {
  return String(Math.round(value * 10) / 10);
}

/** Returns the index of the position nearest to `at`, in an ascending list. */
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
