import { CompletionPanel } from "#features/analytics/entries/completion-panel.tsx";
import { HowReckoned } from "#features/analytics/figures/how-reckoned.tsx";
import type { Filters } from "#features/analytics/filters/analytics-view.ts";
import { ClosedTradesPanel } from "#features/analytics/tables/closed-trades-panel.tsx";
import { GroupsPanel } from "#features/analytics/tables/groups-panel.tsx";
import { TaxPanel } from "#features/analytics/tax/tax-panel.tsx";

export type AnalyticsListsProps = { filters: Filters; years: readonly string[] };

/** What stands behind the pictures, and what is left to do; each asks for its own. */
export function AnalyticsLists({ filters, years }: AnalyticsListsProps) {
  return (
    <>
      <GroupsPanel filters={filters} />
      <ClosedTradesPanel filters={filters} />
      <CompletionPanel />
      {years.length > 0 && <TaxPanel years={years} />}
      <HowReckoned />
    </>
  );
}
