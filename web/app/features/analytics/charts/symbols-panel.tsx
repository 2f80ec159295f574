import { useMemo } from "react";
import type { SymbolCurve } from "#features/analytics/analytics-api.ts";
import { dayNumber } from "#features/analytics/charts/days.ts";
import { ChartPanel } from "#features/analytics/charts/panel.tsx";
import { bandPath, linear, linePath, type Point } from "#features/analytics/charts/scale.ts";
import { symbolsHeadline } from "#features/analytics/figures/headlines.ts";
import { unitCount } from "#features/analytics/filters/units.ts";
import { type Column, DataTable } from "#features/analytics/tables/data-table.tsx";
import { DrilldownLink } from "#features/analytics/tables/drilldown-link.tsx";
import { useUnit } from "#features/analytics/viewer.ts";
import { date } from "#lib/format.ts";
import { Result } from "#ui/money.tsx";

export type SymbolsPanelProps = { symbols: readonly SymbolCurve[] };

/** Small equity curves of the symbols with the largest results, all with the same axes. */
export function SymbolsPanel({ symbols }: SymbolsPanelProps) {
  const sorted = useMemo(() => symbols.toSorted((a, b) => b.net - a.net), [symbols]);
  const rows = useMemo(
    () => sorted.flatMap(({ symbol, days }) => days.map((day) => ({ symbol, ...day }))),
    [sorted],
  );
  return (
    <ChartPanel
      title={symbolsHeadline(symbols)}
      text="Cumulative net P&L of the symbols with the largest results, all on the same scale."
      chart={<Curves symbols={sorted} />}
      table={() => (
        <DataTable
          caption="Cumulative net P&L by symbol and day"
          columns={COLUMNS}
          rows={rows}
          rowKey={({ symbol, date: on }) => `${symbol} ${on}`}
        />
      )}
    />
  );
}

const COLUMNS: readonly Column<{ symbol: string; date: string; net: number }>[] = [
  { label: "Symbol", cell: ({ symbol }) => symbol },
  { label: "Day", figures: true, cell: ({ date: on }) => date(on) },
  { label: "Cumulative net", figures: true, cell: ({ net }) => <Result value={net} /> },
];

const WIDTH = 200;
const HEIGHT = 56;

function Curves({ symbols }: { symbols: readonly SymbolCurve[] }) {
  const unit = useUnit();
  const all = symbols.flatMap(({ days }) => days);
  const dates = all.map((day) => dayNumber(day.date));
  const sums = all.map(({ net }) => net);
  const x = linear([Math.min(...dates) - 1, Math.max(...dates)], [2, WIDTH - 4]);
  const y = linear([Math.min(0, ...sums), Math.max(0, ...sums)], [HEIGHT - 4, 4]);
  const end = x(Math.max(...dates));

  return (
    <ul className="grid grid-cols-2 border-line border-t min-[72rem]:grid-cols-5">
      {symbols.map(({ symbol, days, net, closedTrades }) => {
        const line: Point[] = [[x(Math.min(...dates) - 1), y(0)]];
        // The line is flat between two results.
        for (const day of days) {
          const at = x(dayNumber(day.date));
          line.push([at, line.at(-1)?.[1] ?? y(0)], [at, y(day.net)]);
        }
        line.push([end, y(net)]);
        const zero = line.map(([at]) => [at, y(0)] as const);
        const tone = net < 0 ? "stroke-loss" : "stroke-gain";
        return (
          <li key={symbol} className="-mr-px -mb-px border-line border-r border-b px-3 pt-3 pb-2 sm:px-5">
            <p className="flex items-baseline justify-between gap-2 text-data">
              <DrilldownLink
                drilldown={{ kind: "group", by: "symbol", key: symbol }}
                className="min-w-0 truncate font-semibold hover:underline"
              >
                {symbol}
              </DrilldownLink>
              <span className="figures shrink-0 text-floor text-ink-3 max-sm:hidden">
                {unitCount(closedTrades, unit)}
              </span>
            </p>
            <svg
              viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
              aria-hidden="true"
              className="mt-1 block h-14 w-full"
              preserveAspectRatio="none"
            >
              <path d={bandPath(line, zero)} className={net < 0 ? "fill-loss/10" : "fill-gain/10"} />
              <path
                d={`M2 ${y(0)}H${WIDTH - 4}`}
                className="stroke-line-strong"
                vectorEffect="non-scaling-stroke"
              />
              <path
                d={linePath(line)}
                fill="none"
                className={tone}
                strokeWidth={1.5}
                vectorEffect="non-scaling-stroke"
              />
            </svg>
            <p className="text-right text-data">
              <Result value={net} />
            </p>
          </li>
        );
      })}
    </ul>
  );
}
