import { lazy, Suspense, useState } from "react";
import type { Overview } from "#features/analytics/analytics-api.ts";
import { CurvePanel } from "#features/analytics/charts/curve-panel.tsx";
import { WeekPanel } from "#features/analytics/charts/week-panel.tsx";
import { FiguresStrip } from "#features/analytics/figures/figures-strip.tsx";
import { type Filters, unitName } from "#features/analytics/filters/analytics-view.ts";
import { unitCount, unitPlural } from "#features/analytics/filters/units.ts";
import { MissingDataBanner } from "#features/analytics/missing-data-banner.tsx";
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
        <Banner title={`Too few trades: ${unitCount(figures.closedTrades, unit)}`}>
          {`With fewer than 20 ${unitPlural(unit)}, rates and averages are mostly chance. The totals are still correct.`}
        </Banner>
      )}
      <MissingDataBanner {...dataIssues} doubtful={figures.doubtfulClosedTrades} unit={unit} />
      <FiguresStrip figures={figures} unit={unit} brief={!wide && !more} />
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
