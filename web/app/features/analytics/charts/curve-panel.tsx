import { useMemo } from "react";
import type { Day, Figures } from "#features/analytics/analytics-api.ts";
import { CurveChart } from "#features/analytics/charts/curve-chart.tsx";
import { ChartPanel } from "#features/analytics/charts/panel.tsx";
import { curveFinding, fallWords } from "#features/analytics/figures/findings.ts";
import { BehindLink } from "#features/analytics/tables/behind-link.tsx";
import { type Column, DataTable } from "#features/analytics/tables/data-table.tsx";
import { count, date, inrPaise } from "#lib/format.ts";
import { Result } from "#ui/money.tsx";

export type DaysProps = { days: readonly Day[]; figures: Figures };

export function CurvePanel({ days, figures }: DaysProps) {
  return (
    <ChartPanel
      title={curveFinding(figures, days)}
      text={fallWords(figures.drawdown)}
      chart={<CurveChart days={days} drawdown={figures.drawdown} />}
      table={() => <DayTable caption="Curve by day" days={days} />}
    />
  );
}

const COLUMNS: readonly Column<Day>[] = [
  {
    label: "Day",
    cell: (day) => (
      <BehindLink behind={{ kind: "day", day: day.date }} className="link">
        {date(day.date)}
      </BehindLink>
    ),
  },
  { label: "Closed trades", figures: true, cell: (day) => count(day.closedTrades) },
  { label: "Gross", figures: true, cell: (day) => inrPaise(day.gross) },
  { label: "Charges", figures: true, cell: (day) => inrPaise(0 - day.charges) },
  { label: "Net", figures: true, cell: (day) => <Result value={day.net} /> },
  { label: "Net in all", figures: true, cell: (day) => inrPaise(day.equity) },
  { label: "Below the peak", figures: true, cell: (day) => inrPaise(day.drawdown) },
];

/** The days behind the curve and the calendar, newest first. */
export function DayTable({ caption, days }: { caption: string; days: readonly Day[] }) {
  const rows = useMemo(() => days.toReversed(), [days]);
  return <DataTable caption={caption} columns={COLUMNS} rows={rows} rowKey={(day) => day.date} />;
}
