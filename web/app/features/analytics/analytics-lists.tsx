import { CompletionPanel } from "#features/analytics/entries/completion-panel.tsx";
import { HowReckoned } from "#features/analytics/figures/how-reckoned.tsx";
import type { Filters } from "#features/analytics/filters/analytics-view.ts";
import { GroupsPanel } from "#features/analytics/tables/groups-panel.tsx";
import { TripsPanel } from "#features/analytics/tables/trips-panel.tsx";
import { TaxPanel } from "#features/analytics/tax/tax-panel.tsx";

export type AnalyticsListsProps = { filters: Filters; years: readonly string[] };

/** What stands behind the pictures, and what is left to do; each asks for its own. */
export function AnalyticsLists({ filters, years }: AnalyticsListsProps) {
  return (
    <>
      <GroupsPanel filters={filters} />
      <TripsPanel filters={filters} />
      <CompletionPanel />
      {years.length > 0 && <TaxPanel years={years} />}
      <HowReckoned />
    </>
  );
}
