import { useMemo } from "react";
import type { Day } from "#features/analytics/analytics-api.ts";
import { weekOf } from "#features/analytics/charts/days.ts";
import { Panel } from "#features/analytics/charts/panel.tsx";
import { type Column, DataTable } from "#features/analytics/tables/data-table.tsx";
import { DrilldownLink } from "#features/analytics/tables/drilldown-link.tsx";
import { count, date, istDate } from "#lib/format.ts";
import { period } from "#lib/period.ts";
import { Result } from "#ui/money.tsx";

const COLUMNS: readonly Column<Day>[] = [
  {
    label: "Day",
    cell: (day) => (
      <DrilldownLink drilldown={{ kind: "day", day: day.date }} className="link">
        {weekday(day.date)}
      </DrilldownLink>
    ),
  },
  { label: "Closed", figures: true, cell: (day) => count(day.closedTrades) },
  { label: "Net P&L", figures: true, cell: (day) => <Result value={day.net} /> },
];

/** The last week on which something was closed, day by day. */
export function WeekPanel({ days }: { days: readonly Day[] }) {
  const last = days.at(-1)?.date;
  const week = useMemo(
    () => days.filter(({ date: on }) => last && weekOf(on) === weekOf(last)),
    [days, last],
  );
  if (!last) return null;
  const sum = (values: readonly number[]) =>
    Math.round(values.reduce((total, one) => total + one * 1e4, 0)) / 1e4;
  const isThisWeek = weekOf(last) === weekOf(istDate(new Date().toISOString()));
  return (
    <Panel
      title={isThisWeek ? "This week" : "Last week with trades"}
      text={period(week[0]?.date ?? null, last)}
    >
      <DataTable
        caption="P&L of the week by day"
        columns={COLUMNS}
        rows={week}
        rowKey={(day) => day.date}
        total={[
          "Week",
          count(sum(week.map(({ closedTrades }) => closedTrades))),
          <Result key="net" value={sum(week.map(({ net }) => net))} />,
        ]}
      />
    </Panel>
  );
}

/** Returns "Mon 16 Nov". */
function weekday(day: string): string {
  const name = new Date(`${day}T00:00:00Z`).toLocaleDateString("en-IN", {
    weekday: "short",
    timeZone: "UTC",
  });
  return `${name} ${date(day).replace(/ \d+$/, "")}`;
}
