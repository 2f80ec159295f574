import clsx from "clsx";
import { useMemo, useState } from "react";
import type { Day } from "#features/analytics/analytics-api.ts";
import { signedShort, signedWhole } from "#features/analytics/analytics-format.ts";
import { DayTable } from "#features/analytics/charts/curve-panel.tsx";
import { type MonthDays, months, weekdayOf } from "#features/analytics/charts/days.ts";
import {
  HeatLegend,
  type HeatSteps,
  heatSteps,
  SHADES,
  shade,
} from "#features/analytics/charts/heat-scale.tsx";
import { ChartPanel } from "#features/analytics/charts/panel.tsx";
import { bestAndWorstDay, daysHeadline } from "#features/analytics/figures/headlines.ts";
import { DrilldownLink } from "#features/analytics/tables/drilldown-link.tsx";
import { date, plural } from "#lib/format.ts";
import { Button } from "#ui/button.tsx";
import { DownMark, UpMark } from "#ui/marks.tsx";

/** Number of months in the calendar before the trader asks for all. */
const MONTHS_SHOWN_FIRST = 3;
const WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

export function CalendarPanel({ days }: { days: readonly Day[] }) {
  return (
    <ChartPanel
      title={daysHeadline(days)}
      text={bestAndWorstDay(days)}
      chart={<Calendar days={days} />}
      table={() => <DayTable caption="Calendar by day" days={days} />}
    />
  );
}

function Calendar({ days }: { days: readonly Day[] }) {
  const [all, setAll] = useState(false);
  const byDate = useMemo(() => new Map(days.map((day) => [day.date, day])), [days]);
  const steps = useMemo(() => heatSteps(days.map(({ net }) => net)), [days]);
  // Weekend columns appear only if a trade was closed on a weekend, which is rare.
  const weekends = useMemo(() => days.some(({ date: on }) => weekdayOf(on) > 4), [days]);
  const list = useMemo(
    () => months(days[0]?.date ?? "", days.at(-1)?.date ?? "", weekends),
    [days, weekends],
  );
  // Months without a closed trade are omitted.
  const traded = list.filter(({ weeks }) => weeks.some((week) => week.some((day) => day && byDate.has(day))));
  const shown = all ? traded : traded.slice(-MONTHS_SHOWN_FIRST);

  return (
    <div className="px-4 pb-5 sm:px-6">
      <div
        className={clsx(
          "grid gap-x-9 gap-y-7",
          // Seven columns need more width for the amounts.
          weekends ? "min-[72rem]:grid-cols-2" : "sm:grid-cols-2 min-[72rem]:grid-cols-3",
        )}
      >
        {shown.map((month) => (
          <Month key={month.month} month={month} byDate={byDate} steps={steps} />
        ))}
      </div>
      <div className="mt-4 flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
        <HeatLegend steps={steps} />
        {traded.length > MONTHS_SHOWN_FIRST && (
          <Button variant="secondary" size="sm" onClick={() => setAll(!all)} data-print="no">
            {all ? `Show the last ${MONTHS_SHOWN_FIRST} months` : `Show all ${traded.length} months`}
          </Button>
        )}
      </div>
    </div>
  );
}

type MonthProps = { month: MonthDays; byDate: ReadonlyMap<string, Day>; steps: HeatSteps };

function Month({ month: { title, weeks }, byDate, steps }: MonthProps) {
  const width = weeks[0]?.length ?? 5;
  const sum = weeks.flat().reduce((total, day) => total + ((day && byDate.get(day)?.net) || 0), 0);
  return (
    <table className="w-full table-fixed self-start">
      <caption className="mb-1 border-line border-b pb-1.5 text-left">
        <span className="flex items-baseline justify-between gap-3 text-data">
          <span className="font-semibold">{title}</span>
          <span
            className={clsx(
              "figures inline-flex items-baseline gap-1 font-semibold",
              sum > 0 && "text-gain",
              sum < 0 && "text-loss",
            )}
          >
            {sum !== 0 && (sum > 0 ? <UpMark /> : <DownMark />)}
            {signedWhole(sum)}
          </span>
        </span>
      </caption>
      <thead>
        <tr>
          {WEEKDAYS.slice(0, width).map((name) => (
            <th key={name} scope="col" className="py-1 pl-1 text-left font-normal text-floor text-ink-3">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {weeks.map((week) => (
          <tr key={week.find(Boolean)}>
            {week.map((day, column) => (
              <td key={WEEKDAYS[column]} className="h-12 p-px align-top">
                {day && <DayCell day={day} result={byDate.get(day)} steps={steps} wide={width === 5} />}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

type DayCellProps = { day: string; result: Day | undefined; steps: HeatSteps; wide: boolean };

function DayCell({ day, result, steps, wide }: DayCellProps) {
  const number = Number(day.slice(8));
  if (!result)
    return (
      <span className="block h-full border border-line px-[3px] pt-px text-floor text-ink-3">{number}</span>
    );
  const { net, closedTrades } = result;
  return (
    <DrilldownLink
      drilldown={{ kind: "day", day }}
      className={clsx(
        "block h-full px-1 pt-0.5 text-floor hover:outline-2 hover:outline-brand hover:-outline-offset-2",
        SHADES[shade(net, steps)],
      )}
    >
      <span className="sr-only">{`${date(day)}, ${signedWhole(net)}, ${plural(closedTrades, "closed trade")}`}</span>
      <span aria-hidden="true" className="block">
        {number}
      </span>
      <span
        aria-hidden="true"
        className="figures flex items-baseline justify-end gap-0.5 font-semibold leading-tight"
      >
        {/* A narrow cell has room for the amount or the mark only; the sign of the amount replaces the mark. */}
        <span className={wide ? "max-sm:hidden" : "sm:hidden"}>
          {net !== 0 && (net > 0 ? <UpMark /> : <DownMark />)}
        </span>
        <span className={wide ? "" : "max-sm:hidden"}>{signedShort(net)}</span>
      </span>
    </DrilldownLink>
  );
}
