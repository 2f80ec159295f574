import type { Day } from "#features/analytics/analytics-api.ts";
import { dayNumber, dayText } from "#features/analytics/charts/days.ts";
import { linear, type Point, type Scale, ticks } from "#features/analytics/charts/scale.ts";

// Sizes in pixels: the upper chart shows the cumulative P&L, the lower one the drawdown.
export const LEFT = 56;
const TOP = 12;
const UPPER = 220;
const GAP = 30;
const LOWER = 84;
const FOOT = 28;
export const HEIGHT = TOP + UPPER + GAP + LOWER + FOOT;

export type CurveShape = {
  right: number;
  x: (day: string) => number;
  /** Horizontal position of each day. */
  places: number[];
  upper: { y: Scale; marks: number[]; bottom: number };
  lower: { y: Scale; marks: number[]; top: number; bottom: number };
  net: Point[];
  gross: Point[];
  drawdown: Point[];
};

/** Returns the cumulative gross results by day. */
export function grossSums(days: readonly Day[]): number[] {
  let sum = 0;
  return days.map(({ gross }) => {
    sum += gross;
    return sum;
  });
}

/** Calculates the layout of the equity curve and, on the same days, of the drawdown below it. */
export function curveShape(days: readonly Day[], width: number, labels: number): CurveShape {
  const right = width - labels;
  const first = dayNumber(days[0]?.date ?? "1970-01-01") - 1;
  const last = Math.max(dayNumber(days.at(-1)?.date ?? "1970-01-01"), first + 1);
  const place = linear([first, last], [LEFT, right]);
  const x = (day: string) => place(dayNumber(day));
  const places = days.map(({ date }) => x(date));

  const sums = grossSums(days);
  const all = [0, ...sums, ...days.map(({ equity }) => equity)];
  const marks = ticks(Math.min(...all), Math.max(...all), 4);
  const y = linear([marks[0] ?? 0, marks.at(-1) ?? 1], [TOP + UPPER, TOP]);

  const maxDrawdown = Math.min(0, ...days.map(({ drawdown }) => drawdown));
  const top = TOP + UPPER + GAP;
  const drawdownMarks = maxDrawdown < 0 ? ticks(maxDrawdown, 0, 2) : [0];
  const drawdownY = linear([drawdownMarks[0] || -1, 0], [top + LOWER, top]);

  // Each line starts at zero on the day before the first one.
  const start = x(dayText(first));
  const line = (values: readonly number[], scale: Scale): Point[] => [
    [start, scale(0)],
    ...values.map((value, index): Point => [places[index] ?? start, scale(value)]),
  ];
  return {
    right,
    x,
    places,
    upper: { y, marks, bottom: TOP + UPPER },
    lower: { y: drawdownY, marks: drawdownMarks, top, bottom: top + LOWER },
    net: line(
      days.map(({ equity }) => equity),
      y,
    ),
    gross: line(sums, y),
    drawdown: line(
      days.map(({ drawdown }) => drawdown),
      drawdownY,
    ),
  };
}

/** Moves two label positions apart until they are at least `room` pixels from each other. */
export function separateLabels(first: number, second: number, room: number): [number, number] {
  const distance = Math.abs(first - second);
  if (distance >= room) return [first, second];
  const shift = (room - distance) / 2;
  return first <= second ? [first - shift, second + shift] : [first + shift, second - shift];
}
