import { HowCalculated } from "#features/analytics/figures/how-calculated.tsx";
import type { Filters } from "#features/analytics/filters/analytics-view.ts";
import { OpenPositionsPanel } from "#features/analytics/positions/open-positions-panel.tsx";
import { BreakdownPanel } from "#features/analytics/tables/breakdown-panel.tsx";
import { ClosedTradesPanel } from "#features/analytics/tables/closed-trades-panel.tsx";
import { TaxPanel } from "#features/analytics/tax/tax-panel.tsx";

export type AnalyticsListsProps = { filters: Filters; years: readonly string[] };

/** Lists and tables below the charts; loaded after them. Each panel fetches its own data. */
export function AnalyticsLists({ filters, years }: AnalyticsListsProps) {
  return (
    <>
      <BreakdownPanel filters={filters} />
      <ClosedTradesPanel filters={filters} />
      <OpenPositionsPanel />
      {years.length > 0 && <TaxPanel years={years} />}
      <HowCalculated />
    </>
  );
}
