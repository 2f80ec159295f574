import clsx from "clsx";
import type { Strategy } from "#features/analytics/analytics-api.ts";
import { capitalize, shapeName } from "#features/analytics/strategies/strategy-names.ts";
import { type Grouping, listGroupings } from "#features/analytics/strategy-decisions/groupings.ts";
import { tradeName } from "#lib/contract.ts";
import { units } from "#lib/format.ts";
import { Button } from "#ui/button.tsx";
import { SidePill } from "#ui/side-pill.tsx";

type GroupingOptionsProps = {
  strategy: Strategy;
  /** Key of the busy button; that of an option is its number. */
  busy: string;
  /** True if number keys choose; shows them on the buttons. */
  withKeys?: boolean;
  onChoose: (key: string, grouping: Grouping) => void;
  className?: string;
};

/** Possible groupings of a strategy, each with its legs and a button that chooses it. */
export function GroupingOptions({
  strategy,
  busy,
  withKeys = false,
  onChoose,
  className,
}: GroupingOptionsProps) {
  return (
    <ol aria-label="Possible groupings" className={clsx("divide-y divide-line border-line", className)}>
      {listGroupings(strategy).map((grouping, index) => {
        const key = `${index + 1}`;
        return (
          <li key={key} className="flex flex-wrap items-center gap-x-6 gap-y-3 px-4 py-3 sm:px-6">
            <Option title={`${key}. ${capitalize(shapeName(grouping.shape))}`} grouping={grouping} />
            <Button
              variant="secondary"
              pending={busy === key}
              disabled={busy !== "" && busy !== key}
              aria-keyshortcuts={withKeys ? key : undefined}
              onClick={() => onChoose(key, grouping)}
              className="max-sm:w-full"
            >
              {withKeys && index < 9 && <KeyHint name={key} />}
              Choose
              <span className="sr-only">{` grouping ${key}, ${shapeName(grouping.shape)}`}</span>
            </Button>
          </li>
        );
      })}
    </ol>
  );
}

function Option({ title, grouping: { legs, isCurrent } }: { title: string; grouping: Grouping }) {
  return (
    <div className="min-w-0 flex-1 basis-56">
      <p className="font-semibold text-ui">
        {title}
        {isCurrent && <span className="font-normal text-ink-2">, as grouped now</span>}
      </p>
      <ul className="mt-1.5 space-y-1">
        {legs.map((leg, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a position can have several legs, and their order is fixed
          <li key={index} className="figures flex items-center gap-2 text-data">
            <SidePill side={leg.side} />
            <span>{`${units(leg.quantity)} ${tradeName(leg)}`}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Key of a button, for readers of the screen; `aria-keyshortcuts` names it for screen readers. */
export function KeyHint({ name }: { name: string }) {
  return (
    <span
      aria-hidden="true"
      className="rounded-tag border border-current px-1.5 font-medium text-floor pointer-coarse:hidden"
    >
      {name}
    </span>
  );
}
