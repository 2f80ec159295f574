import clsx from "clsx";
import { useMemo } from "react";
import type { GridCell } from "#features/analytics/analytics-api.ts";
import { signedShort, signedWhole } from "#features/analytics/analytics-format.ts";
import {
  HeatLegend,
  type HeatSteps,
  heatSteps,
  SHADES,
  shade,
} from "#features/analytics/charts/heat-scale.tsx";
import { ChartPanel } from "#features/analytics/charts/panel.tsx";
import { gridHeadline, gridText } from "#features/analytics/figures/headlines.ts";
import type { Drilldown } from "#features/analytics/filters/analytics-view.ts";
import { hourName, weekdayHourName, weekdayName } from "#features/analytics/filters/groupings.ts";
import { unitCount } from "#features/analytics/filters/units.ts";
import { type Column, DataTable } from "#features/analytics/tables/data-table.tsx";
import { DrilldownLink } from "#features/analytics/tables/drilldown-link.tsx";
import { useUnit } from "#features/analytics/viewer.ts";
import { count } from "#lib/format.ts";
import { percent } from "#lib/ratio-format.ts";
import { DownMark, UpMark } from "#ui/marks.tsx";
import { Result } from "#ui/money.tsx";

/** Grid of results by the time a position was opened: a row for each hour, a column for each weekday. */
export function HoursPanel({ cells }: { cells: readonly GridCell[] }) {
  return (
    <ChartPanel
      title={gridHeadline(cells)}
      text={gridText(cells)}
      chart={<HourGrid cells={cells} />}
      table={() => (
        <DataTable
          caption="Intraday and F&O results by weekday and hour"
          columns={COLUMNS}
          rows={cells}
          rowKey={({ weekday, hour }) => `${weekday}-${hour}`}
        />
      )}
    />
  );
}

const COLUMNS: readonly Column<GridCell>[] = [
  {
    label: "Entry time",
    cell: (cell) => (
      <DrilldownLink drilldown={cellDrilldown(cell)} className="link">
        {weekdayHourName(cell.weekday, cell.hour)}
      </DrilldownLink>
    ),
  },
  { label: "Count", figures: true, cell: ({ closedTrades }) => count(closedTrades) },
  {
    label: "Won",
    figures: true,
    // A rate of fewer than 20 trades is mostly chance, so the count is shown.
    cell: ({ wins, closedTrades }) => (closedTrades < 20 ? count(wins) : percent(wins / closedTrades)),
  },
  { label: "Net", figures: true, cell: ({ net }) => <Result value={net} /> },
];

function cellDrilldown({ weekday, hour }: GridCell): Drilldown {
  return { kind: "group", by: "weekdayHour", key: `${weekday}-${String(hour).padStart(2, "0")}` };
}

function HourGrid({ cells }: { cells: readonly GridCell[] }) {
  const steps = useMemo(() => heatSteps(cells.map(({ net }) => net)), [cells]);
  const byTime = useMemo(() => new Map(cells.map((cell) => [`${cell.weekday}-${cell.hour}`, cell])), [cells]);
  const hours = [...new Set(cells.map(({ hour }) => hour))].sort((a, b) => a - b);
  const weekdays = [...new Set([1, 2, 3, 4, 5, ...cells.map(({ weekday }) => weekday)])].sort(
    (a, b) => a - b,
  );
  if (cells.length === 0)
    return (
      <p className="px-4 pb-6 text-ink-2 text-ui sm:px-6">
        There are no intraday or F&amp;O trades with a time. Delivery trades are not counted here.
      </p>
    );

  return (
    <div className="px-4 pb-5 sm:px-6">
      <table className="w-full table-fixed">
        <thead>
          <tr>
            <th scope="col" className="w-10 sm:w-20">
              <span className="sr-only">Hour</span>
            </th>
            {weekdays.map((weekday) => (
              <th key={weekday} scope="col" className="pb-1 text-left font-normal text-floor">
                <DrilldownLink
                  drilldown={{ kind: "group", by: "weekday", key: String(weekday) }}
                  className="link text-ink-2!"
                >
                  <span className="sr-only">{weekdayName(weekday)}</span>
                  <span aria-hidden="true">{weekdayName(weekday).slice(0, 3)}</span>
                </DrilldownLink>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {hours.map((hour) => (
            <tr key={hour}>
              <th scope="row" className="pr-2 text-left font-normal text-floor">
                <DrilldownLink
                  drilldown={{ kind: "group", by: "hour", key: String(hour).padStart(2, "0") }}
                  className="link text-ink-2!"
                >
                  <span className="max-sm:sr-only">{hourName(hour)}</span>
                  <span aria-hidden="true" className="figures sm:hidden">
                    {hour % 12 || 12}
                  </span>
                </DrilldownLink>
              </th>
              {weekdays.map((weekday) => (
                <td key={weekday} className="h-12 p-px">
                  <HourCell cell={byTime.get(`${weekday}-${hour}`)} steps={steps} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row" className="pt-1.5 text-left font-normal text-floor text-ink-2">
              Total
            </th>
            {weekdays.map((weekday) => {
              const net = sum(cells.filter((cell) => cell.weekday === weekday));
              return (
                <td key={weekday} className="px-1 pt-1.5 sm:px-1.5">
                  <span
                    className={clsx(
                      "figures font-semibold text-floor",
                      net > 0 && "text-gain",
                      net < 0 && "text-loss",
                    )}
                  >
                    {signedShort(net)}
                  </span>
                </td>
              );
            })}
          </tr>
        </tfoot>
      </table>
      <div className="mt-4">
        <HeatLegend steps={steps} />
      </div>
    </div>
  );
}

function sum(cells: readonly GridCell[]): number {
  return cells.reduce((total, { net }) => total + net, 0);
}

function HourCell({ cell, steps }: { cell: GridCell | undefined; steps: HeatSteps }) {
  const unit = useUnit();
  if (!cell) return <span className="block h-full border border-line" />;
  const { net, closedTrades } = cell;
  return (
    <DrilldownLink
      drilldown={cellDrilldown(cell)}
      className={clsx(
        "flex h-full flex-col justify-center px-1 text-floor leading-tight sm:px-1.5",
        "hover:outline-2 hover:outline-brand hover:-outline-offset-2",
        SHADES[shade(net, steps)],
      )}
    >
      <span className="sr-only">{`${signedWhole(net)}, ${unitCount(closedTrades, unit)}`}</span>
      <span aria-hidden="true" className="figures flex items-baseline gap-1 font-semibold">
        <span className="max-sm:hidden">{net !== 0 && (net > 0 ? <UpMark /> : <DownMark />)}</span>
        {signedShort(net)}
      </span>
      <span aria-hidden="true" className="figures text-ink">
        {count(closedTrades)}
      </span>
    </DrilldownLink>
  );
}
