import { signedShort } from "#features/analytics/analytics-format.ts";
import { niceStep } from "#features/analytics/charts/scale.ts";

/** Bounds in rupees at which the shade changes, ascending. */
export type HeatSteps = readonly [number, number, number];

/** Shade from the largest loss (−4) to the largest gain (4); 0 is neither. */
export type Shade = -4 | -3 | -2 | -1 | 0 | 1 | 2 | 3 | 4;

/** Calculates the steps from the values shown: about 40 % get the faintest shade, 10 % the strongest. */
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

/** Background classes. The strongest has 38 % opacity, so that the text on it stays readable. */
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

const LEGEND_ORDER: readonly Shade[] = [-4, -3, -2, -1, 1, 2, 3, 4];

/** Legend of the shades. */
export function HeatLegend({ steps }: { steps: HeatSteps }) {
  const last = steps[2];
  return (
    <p className="flex flex-wrap items-center gap-x-2.5 gap-y-1 text-floor text-ink-2">
      <span className="figures">{`${signedShort(-last)} or worse`}</span>
      <span aria-hidden="true" className="flex gap-px">
        {LEGEND_ORDER.map((shade) => (
          <span key={shade} className={`h-3 w-4.5 ${SHADES[shade]}`} />
        ))}
      </span>
      <span className="figures">{`${signedShort(last)} or better`}</span>
      <span className="text-ink-3">{`Colours change at ₹${steps.map((step) => signedShort(step).slice(1)).join(", ₹")}`}</span>
    </p>
  );
}
