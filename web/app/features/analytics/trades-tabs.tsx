import { Link, useLocation } from "react-router";
import { STRATEGIES_PATH, TRADES_PATH, withFilters } from "#lib/analytics-paths.ts";

const TABS = [
  { to: TRADES_PATH, label: "Positions" },
  { to: STRATEGIES_PATH, label: "Strategies" },
] as const;

/** Links between the two lists of the trades: positions and strategies. */
export function TradesTabs({ current }: { current: (typeof TABS)[number]["to"] }) {
  const { search } = useLocation();
  return (
    <nav aria-label="Lists of trades" data-print="no" className="flex gap-x-6 border-line border-b">
      {TABS.map(({ to, label }) => (
        <Link
          key={to}
          to={withFilters(to, search)}
          aria-current={to === current ? "page" : undefined}
          className="-mb-px flex min-h-11 items-center border-transparent border-b-2 font-medium text-ink-2 text-ui hover:text-ink aria-[current=page]:border-brand aria-[current=page]:font-semibold aria-[current=page]:text-ink"
        >
          {label}
        </Link>
      ))}
    </nav>
  );
}
