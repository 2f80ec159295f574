import { signedShort } from "#features/analytics/analytics-format.ts";
import { type HeatSteps, SHADES, type Shade } from "#features/analytics/charts/heat.ts";

const ORDER: readonly Shade[] = [-4, -3, -2, -1, 1, 2, 3, 4];

/** What the shades stand for. */
export function HeatKey({ steps }: { steps: HeatSteps }) {
  const last = steps[2];
  return (
    <p className="flex flex-wrap items-center gap-x-2.5 gap-y-1 text-floor text-ink-2">
      <span className="figures">{`${signedShort(-last)} or worse`}</span>
      <span aria-hidden="true" className="flex gap-px">
        {ORDER.map((shade) => (
          <span key={shade} className={`h-3 w-4.5 ${SHADES[shade]}`} />
        ))}
      </span>
      <span className="figures">{`${signedShort(last)} or better`}</span>
      <span className="text-ink-3">{`Steps at ${steps.map((step) => signedShort(step).slice(1)).join(", ")} rupees`}</span>
    </p>
  );
}
