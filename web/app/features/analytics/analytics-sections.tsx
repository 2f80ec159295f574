import { lazy, Suspense, useState } from "react";
import { Link } from "react-router";
import type { Overview } from "#features/analytics/analytics-api.ts";
import { CORPORATE_ACTIONS_ID } from "#features/analytics/analytics-paths.ts";
import { CurvePanel } from "#features/analytics/charts/curve-panel.tsx";
import { WeekPanel } from "#features/analytics/charts/week-panel.tsx";
import { FiguresStrip } from "#features/analytics/figures/figures-strip.tsx";
import { type Filters, unitName } from "#features/analytics/filters/analytics-view.ts";
import { TRADES_PATH } from "#lib/analytics-paths.ts";
import { plural } from "#lib/format.ts";
import { Banner } from "#ui/banner.tsx";
import { Button } from "#ui/button.tsx";
import { TableSkeleton } from "#ui/skeleton.tsx";

// Loaded after the charts; on a phone, when the trader asks for more.
const CalendarPanel = lazy(async () => ({
  default: (await import("#features/analytics/charts/calendar-panel.tsx")).CalendarPanel,
}));
const HowCalculated = lazy(async () => ({
  default: (await import("#features/analytics/figures/how-calculated.tsx")).HowCalculated,
}));

export type SectionsProps = { overview: Overview; filters: Filters; wide: boolean };

/** Overview: warnings about missing data, key figures, equity curve, the last week and the calendar. */
export function AnalyticsSections({ overview, filters, wide }: SectionsProps) {
  const { figures, days, dataIssues } = overview;
  const [more, setMore] = useState(false);
  const unit = unitName(filters);
  return (
    <div className="space-y-5 pt-5">
      {figures.sampleTooSmall && (
        <Banner title={`Too few trades: ${plural(figures.closedTrades, unit)}`}>
          {`With fewer than 20 ${unit}s, rates and averages are mostly chance. The totals are still correct.`}
        </Banner>
      )}
      <MissingDataBanner {...dataIssues} />
      <FiguresStrip figures={figures} unit={unit} />
      <div className="grid grid-cols-1 gap-5 min-[72rem]:grid-cols-[minmax(0,1fr)_20rem]">
        <CurvePanel days={days} figures={figures} />
        <WeekPanel days={days} />
      </div>
      {wide || more ? (
        <Suspense fallback={<TableSkeleton label="Loading the calendar" />}>
          <CalendarPanel days={days} />
          <HowCalculated />
        </Suspense>
      ) : (
        <Button variant="secondary" onClick={() => setMore(true)} className="w-full">
          Show more
        </Button>
      )}
    </div>
  );
}

/** Lists the data issues that the filters match, and counts those outside. */
function MissingDataBanner({
  missingCostBasis,
  expired,
  ratesMissing,
  outsideFilter,
}: Overview["dataIssues"]) {
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
    outsideFilter > 0 && {
      title: `${plural(outsideFilter, "data issue")} outside these filters`,
      text: "",
    },
  ].filter((problem) => problem !== false);
  const [first, ...others] = problems;
  if (!first) return null;
  return (
    <Banner
      tone={missingCostBasis + expired + ratesMissing > 0 ? "warn" : "info"}
      title={first.title}
      actions={
        missingCostBasis + expired + outsideFilter > 0 && (
          <Link to={{ pathname: TRADES_PATH, hash: CORPORATE_ACTIONS_ID }} className="link text-ui">
            Fix
          </Link>
        )
      }
    >
      {[first.text, ...others.map(({ title, text }) => `${title}. ${text}`)].join(" ").trim()}
    </Banner>
  );
}
