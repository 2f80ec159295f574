import { lazy, Suspense } from "react";
import { Link, useLocation } from "react-router";
import type { Overview } from "#features/analytics/analytics-api.ts";
import { ChargesPanel } from "#features/analytics/charges/charges-panel.tsx";
import { CalendarPanel } from "#features/analytics/charts/calendar-panel.tsx";
import { CurvePanel } from "#features/analytics/charts/curve-panel.tsx";
import { DistributionPanel, RiskPanel } from "#features/analytics/charts/distribution-panel.tsx";
import { HoursPanel } from "#features/analytics/charts/hours-panel.tsx";
import { SymbolsPanel } from "#features/analytics/charts/symbols-panel.tsx";
import { COMPLETION } from "#features/analytics/entries/completion-place.ts";
import { FiguresStrip } from "#features/analytics/figures/figures-strip.tsx";
import type { Filters } from "#features/analytics/filters/analytics-view.ts";
import { plural } from "#lib/format.ts";
import { Banner } from "#ui/banner.tsx";
import { TableSkeleton } from "#ui/skeleton.tsx";

// Below what one sees first.
const AnalyticsLists = lazy(async () => ({
  default: (await import("#features/analytics/analytics-lists.tsx")).AnalyticsLists,
}));

/** From the sum to its parts, then the entries behind them, then what is left to do. */
export function AnalyticsSections({ overview, filters }: { overview: Overview; filters: Filters }) {
  const { figures, days, distribution, riskDistribution, grid, symbols, scope, attention } = overview;
  return (
    <div className="space-y-5 pt-5">
      {figures.tooFew && (
        <Banner title={`Too few trades: ${plural(figures.closedTrades, "closed trade")}`}>
          Below 20, rates and averages are mostly chance. The sums hold all the same.
        </Banner>
      )}
      <Attention {...attention} />
      <FiguresStrip figures={figures} />
      <CurvePanel days={days} figures={figures} />
      <CalendarPanel days={days} />
      <div className="grid grid-cols-1 gap-5 min-[72rem]:grid-cols-2">
        <DistributionPanel bins={distribution} figures={figures} />
        <ChargesPanel filters={filters} figures={figures} />
      </div>
      {riskDistribution.length > 0 && <RiskPanel bins={riskDistribution} figures={figures} />}
      <HoursPanel cells={grid} />
      <SymbolsPanel symbols={symbols} />
      <Suspense fallback={<TableSkeleton label="Loading the lists" />}>
        <AnalyticsLists filters={filters} years={scope.financialYears} />
      </Suspense>
    </div>
  );
}

function Attention({ missingCostBasis, expired, uncharged }: Overview["attention"]) {
  const { search } = useLocation();
  const parts: string[] = [];
  if (missingCostBasis > 0)
    parts.push(`${plural(missingCostBasis, "sale has", "sales have")} no purchase and are in no figure.`);
  if (expired > 0)
    parts.push(`${plural(expired, "contract", "contracts")} expired open; options count as worthless.`);
  if (parts.length === 0 && uncharged === 0) return null;
  return (
    <Banner
      tone="warn"
      title={parts.length > 0 ? "Something is missing in the trades" : "Some charges are not known"}
      actions={
        parts.length > 0 && (
          <Link to={{ search, hash: COMPLETION }} preventScrollReset className="link text-ui">
            Complete it
          </Link>
        )
      }
    >
      {parts.join(" ")}
      {uncharged > 0 &&
        ` Of ${plural(uncharged, "closed trade")} some rates are not in our tables: their charges are too low.`}
    </Banner>
  );
}
