import { lazy, Suspense } from "react";
import { Link } from "react-router";
import type { Overview } from "#features/analytics/analytics-api.ts";
import { FIX_PATH } from "#features/analytics/analytics-paths.ts";
import { ChargesPanel } from "#features/analytics/charges/charges-panel.tsx";
import { CalendarPanel } from "#features/analytics/charts/calendar-panel.tsx";
import { CurvePanel } from "#features/analytics/charts/curve-panel.tsx";
import { DistributionPanel, RiskPanel } from "#features/analytics/charts/distribution-panel.tsx";
import { HoursPanel } from "#features/analytics/charts/hours-panel.tsx";
import { SymbolsPanel } from "#features/analytics/charts/symbols-panel.tsx";
import { FiguresStrip } from "#features/analytics/figures/figures-strip.tsx";
import type { Filters } from "#features/analytics/filters/analytics-view.ts";
import { plural } from "#lib/format.ts";
import { Banner } from "#ui/banner.tsx";
import { TableSkeleton } from "#ui/skeleton.tsx";

// Loaded after the charts.
const AnalyticsLists = lazy(async () => ({
  default: (await import("#features/analytics/analytics-lists.tsx")).AnalyticsLists,
}));

/** Key figures, charts and lists of the analytics page, with warnings about missing data at the top. */
export function AnalyticsSections({ overview, filters }: { overview: Overview; filters: Filters }) {
  const { figures, days, distribution, riskDistribution, grid, symbols, scope, dataIssues } = overview;
  return (
    <div className="space-y-5 pt-5">
      {figures.sampleTooSmall && (
        <Banner title={`Too few trades: ${plural(figures.closedTrades, "closed trade")}`}>
          With fewer than 20 closed trades, rates and averages are mostly chance. The totals are still
          correct.
        </Banner>
      )}
      <MissingDataBanner {...dataIssues} doubtful={figures.doubtfulClosedTrades} />
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

type MissingDataBannerProps = Overview["dataIssues"] & {
  /** Number of the closed trades shown that an answer may change. */
  doubtful: number;
};

/** Lists the data issues that the filters match, and counts those outside. */
export function MissingDataBanner({
  missingCostBasis,
  expired,
  ratesMissing,
  outsideFilter,
  open,
  doubtful,
}: MissingDataBannerProps) {
  const problems = [
    missingCostBasis > 0 && {
      title: plural(missingCostBasis, "sell has no buy price", "sells have no buy price"),
      text: `${missingCostBasis === 1 ? "It is" : "They are"} not included in any figure.`,
    },
    expired > 0 && {
      title: plural(expired, "contract expired while open", "contracts expired while open"),
      text: `${expired === 1 ? "It is" : "They are"} not included in any figure until you enter the settlement price, or say that the options expired worthless.`,
    },
    ratesMissing > 0 && {
      title: plural(
        ratesMissing,
        "closed trade has incomplete charges",
        "closed trades have incomplete charges",
      ),
      text: "Some rates, or the kind of an ETF, are missing in our tables, so the charges may be too low.",
    },
    doubtful > 0 && {
      title: `An answer may change ${plural(doubtful, "closed trade")}`,
      text: "",
    },
    outsideFilter > 0 && {
      title: `${plural(outsideFilter, "data issue")} outside these filters`,
      text: "",
    },
    open > 0 && { title: plural(open, "open data issue"), text: "" },
  ].filter((problem) => problem !== false);
  const [first, ...others] = problems;
  if (!first) return null;
  return (
    <Banner
      tone={missingCostBasis + expired + ratesMissing > 0 ? "warn" : "info"}
      title={first.title}
      actions={
        open > 0 && (
          <Link to={FIX_PATH} className="link text-ui">
            Fix
          </Link>
        )
      }
    >
      {[first.text, ...others.map(({ title, text }) => `${title}. ${text}`)].join(" ").trim()}
    </Banner>
  );
}
