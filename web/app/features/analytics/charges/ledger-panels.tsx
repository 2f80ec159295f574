import { CostsPanel } from "#features/analytics/charges/costs-panel.tsx";
import { ReturnsPanel } from "#features/analytics/charges/returns-panel.tsx";
import type { Filters } from "#features/analytics/filters/analytics-view.ts";

/** Panels about imported ledgers: returns on capital, and costs outside trades. */
export function LedgerPanels({ filters }: { filters: Filters }) {
  return (
    <div className="min-w-0 space-y-5">
      <ReturnsPanel filters={filters} />
      <CostsPanel filters={filters} />
    </div>
  );
}
