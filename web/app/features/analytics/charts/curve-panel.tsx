import { useMemo } from "react";
import type { Day, Figures } from "#features/analytics/analytics-api.ts";
import { CurveChart } from "#features/analytics/charts/curve-chart.tsx";
import { ChartPanel } from "#features/analytics/charts/panel.tsx";
import { curveHeadline, drawdownText } from "#features/analytics/figures/headlines.ts";
import { type Column, DataTable } from "#features/analytics/tables/data-table.tsx";
import { DrilldownLink } from "#features/analytics/tables/drilldown-link.tsx";
import { count, date, inrPaise } from "#lib/format.ts";
import { Result } from "#ui/money.tsx";

export type DaysProps = { days: readonly Day[]; figures: Figures };

export function CurvePanel({ days, figures }: DaysProps) {
  return (
    <ChartPanel
      title={curveHeadline(figures, days)}
      text={drawdownText(figures.drawdown)}
      chart={<CurveChart days={days} drawdown={figures.drawdown} />}
      table={() => <DayTable caption="P&L by day" days={days} />}
    />
  );
}

const COLUMNS: readonly Column<Day>[] = [
  {
    label: "Day",
    cell: (day) => (
      <DrilldownLink drilldown={{ kind: "day", day: day.date }} className="link">
        {date(day.date)}
      </DrilldownLink>
    ),
  },
  { label: "Closed trades", figures: true, cell: (day) => count(day.closedTrades) },
  { label: "Gross", figures: true, cell: (day) => inrPaise(day.gross) },
  { label: "Charges", figures: true, cell: (day) => inrPaise(0 - day.charges) },
  { label: "Net", figures: true, cell: (day) => <Result value={day.net} /> },
  { label: "Cumulative net", figures: true, cell: (day) => inrPaise(day.equity) },
  { label: "Drawdown", figures: true, cell: (day) => inrPaise(day.drawdown) },
];

/** Table of the days of the curve and the calendar, newest first. */
export function DayTable({ caption, days }: { caption: string; days: readonly Day[] }) {
  const rows = useMemo(() => days.toReversed(), [days]);
  return <DataTable caption={caption} columns={COLUMNS} rows={rows} rowKey={(day) => day.date} />;
}
