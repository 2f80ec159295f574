import { niceStep } from "#features/analytics/charts/scale.ts";

/** Where one shade ends and the next begins, in rupees. */
export type HeatSteps = readonly [number, number, number];

/** From the deepest loss to the highest gain; 0 is neither. */
export type Shade = -4 | -3 | -2 | -1 | 0 | 1 | 2 | 3 | 4;

/** Steps that part the values of this very grid: four in ten are faint, one in ten is strong. */
export function heatSteps(values: readonly number[]): HeatSteps {
  const sizes = values
    .filter((value) => value !== 0)
    .map(Math.abs)
    .sort((a, b) => a - b);
  const at = (share: number) => niceStep(sizes[Math.floor(sizes.length * share)] ?? 0);
  const first = at(0.4);
  const second = Math.max(at(0.7), first * 2);
  return [first, second, Math.max(at(0.9), second * 2)];
}

export function shade(value: number, steps: HeatSteps): Shade {
  const strength = 1 + steps.filter((step) => Math.abs(value) >= step).length;
  if (value === 0) return 0;
  return (Math.sign(value) * strength) as Shade;
}

/** Never stronger than 38 %: the ink on it must stay readable. */
export const SHADES: Readonly<Record<Shade, string>> = {
  "-4": "bg-loss/38",
  "-3": "bg-loss/30",
  "-2": "bg-loss/20",
  "-1": "bg-loss/10",
  "0": "bg-sunken",
  "1": "bg-gain/10",
  "2": "bg-gain/20",
  "3": "bg-gain/30",
  "4": "bg-gain/38",
};
