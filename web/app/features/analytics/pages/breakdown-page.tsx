import { useState } from "react";
import type { SectionsProps } from "#features/analytics/analytics-sections.tsx";
import { DistributionPanel, RiskPanel } from "#features/analytics/charts/distribution-panel.tsx";
import { HoursPanel } from "#features/analytics/charts/hours-panel.tsx";
import { SymbolsPanel } from "#features/analytics/charts/symbols-panel.tsx";
import { BreakdownPanel } from "#features/analytics/tables/breakdown-panel.tsx";
import { Button } from "#ui/button.tsx";

/** Figures by group, distributions, and results by weekday, hour and symbol. */
export function BreakdownPage({ overview, filters, wide }: SectionsProps) {
  const { figures, distribution, riskDistribution, grid, symbols } = overview;
  const [more, setMore] = useState(false);
  return (
    <div className="space-y-5 pt-5">
      <BreakdownPanel filters={filters} />
      <DistributionPanel bins={distribution} figures={figures} />
      {wide || more ? (
        <>
          {riskDistribution.length > 0 && <RiskPanel bins={riskDistribution} figures={figures} />}
          <HoursPanel cells={grid} />
          <SymbolsPanel symbols={symbols} />
        </>
      ) : (
        <Button variant="secondary" onClick={() => setMore(true)} className="w-full">
          Show more
        </Button>
      )}
    </div>
  );
}
