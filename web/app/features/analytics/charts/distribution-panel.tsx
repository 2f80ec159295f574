import { useState } from "react";
import type { Bin, Figures } from "#features/analytics/analytics-api.ts";
import { factor, signedShort } from "#features/analytics/analytics-format.ts";
import { ChartSlider } from "#features/analytics/charts/chart-slider.tsx";
import { ChartPanel } from "#features/analytics/charts/panel.tsx";
import { linear, ticks } from "#features/analytics/charts/scale.ts";
import { useWidth } from "#features/analytics/charts/use-width.ts";
import { distributionHeadline, riskHeadline } from "#features/analytics/figures/headlines.ts";
import { type Measure, rangeName, writeRange } from "#features/analytics/filters/ranges.ts";
import { riskUnit, unitCount, unitPlural } from "#features/analytics/filters/units.ts";
import { type Column, DataTable } from "#features/analytics/tables/data-table.tsx";
import { DrilldownLink } from "#features/analytics/tables/drilldown-link.tsx";
import { useUnit } from "#features/analytics/viewer.ts";
import { count } from "#lib/format.ts";

const HEIGHT = 276;
const TOP = 8;
const LEFT = 36;
const BOTTOM = HEIGHT - 26;

export type DistributionPanelProps = { bins: readonly Bin[]; figures: Figures };

export function DistributionPanel({ bins, figures }: DistributionPanelProps) {
  const unit = useUnit();
  return (
    <ChartPanel
      title={distributionHeadline(figures)}
      text={`Number of ${unitPlural(unit)} by net P&L.`}
      chart={<Histogram bins={bins} measure="net" />}
      table={() => <BinTable bins={bins} measure="net" />}
    />
  );
}

/** Distribution of results in R, for the units with a stop loss. */
export function RiskPanel({ bins, figures }: DistributionPanelProps) {
  const unit = riskUnit(useUnit());
  return (
    <ChartPanel
      title={riskHeadline(figures)}
      text={`Number of ${unitPlural(unit)} by result in R, a multiple of the initial risk. Only trades with a stop loss.`}
      chart={<Histogram bins={bins} measure="r" />}
      table={() => <BinTable bins={bins} measure="r" />}
    />
  );
}

/** Names of each measure, and the format of the bounds under the bars. */
const SCALES = {
  net: { caption: "Distribution of results", label: "Net P&L", edge: signedShort },
  r: { caption: "Distribution of results in R", label: "R", edge: factor },
} as const;

type BinsProps = { bins: readonly Bin[]; measure: Measure };

function BinTable({ bins, measure }: BinsProps) {
  const { caption, label } = SCALES[measure];
  const columns: readonly Column<Bin>[] = [
    {
      label,
      cell: (bin) => (
        <DrilldownLink drilldown={{ kind: "range", measure, range: bin }} className="link">
          {rangeName(measure, bin)}
        </DrilldownLink>
      ),
    },
    { label: "Count", figures: true, cell: ({ closedTrades }) => count(closedTrades) },
  ];
  return <DataTable caption={caption} columns={columns} rows={bins} rowKey={writeRange} />;
}

function Histogram({ bins, measure }: BinsProps) {
  const unit = useUnit();
  const [box, width] = useWidth<HTMLDivElement>();
  const [at, setAt] = useState<number>();
  const most = Math.max(1, ...bins.map(({ closedTrades }) => closedTrades));
  const marks = ticks(0, most, 3).filter(Number.isInteger);
  const y = linear([0, marks.at(-1) ?? 1], [BOTTOM, TOP]);
  const step = (Math.max(width, 200) - LEFT) / Math.max(bins.length, 1);
  const places = bins.map((_, index) => LEFT + (index + 0.5) * step);
  const bin = at === undefined ? undefined : bins[at];
  const binText = (index: number) => {
    const one = bins[index];
    return one
      ? `${rangeName(measure, one)}: ${unitCount(one.closedTrades, measure === "r" ? riskUnit(unit) : unit)}`
      : "";
  };

  return (
    <div className="px-4 pb-4 sm:px-6">
      <p aria-hidden="true" className="figures min-h-[1.45em] text-data text-ink-2">
        {bin && at !== undefined && binText(at)}
      </p>
      <div ref={box} className="relative mt-1" style={{ height: HEIGHT }}>
        {width > 0 && (
          <svg
            width={width}
            height={HEIGHT}
            viewBox={`0 0 ${width} ${HEIGHT}`}
            aria-hidden="true"
            className="max-w-full"
          >
            <g className="figures fill-ink-3 text-floor">
              {marks.map((mark) => (
                <g key={mark}>
                  <path
                    d={`M${LEFT} ${Math.round(y(mark)) + 0.5}H${width}`}
                    className={mark === 0 ? "stroke-line-strong" : "stroke-line"}
                  />
                  <text x={LEFT - 8} y={y(mark)} dy="0.32em" textAnchor="end">
                    {count(mark)}
                  </text>
                </g>
              ))}
            </g>
            {bins.map((one, index) => (
              <rect
                key={writeRange(one)}
                x={LEFT + index * step + 1}
                width={Math.max(step - 2, 1)}
                y={y(one.closedTrades)}
                height={BOTTOM - y(one.closedTrades)}
                className={`${(one.to ?? 1) <= 0 ? "fill-loss" : "fill-gain"} ${at === undefined || at === index ? "" : "opacity-50"}`}
              />
            ))}
            <Edges bins={bins} step={step} edge={SCALES[measure].edge} />
          </svg>
        )}
        <ChartSlider
          label={SCALES[measure].caption}
          places={places}
          at={at}
          valueText={binText}
          onMove={setAt}
        />
      </div>
      <p className="mt-1 flex justify-between gap-4 text-floor text-ink-3">
        <span>Losses</span>
        <span>Profits</span>
      </p>
    </div>
  );
}

type EdgesProps = { bins: readonly Bin[]; step: number; edge: (bound: number) => string };

/** Bounds between the bars, as many as fit; 0 is always among them. */
function Edges({ bins, step, edge }: EdgesProps) {
  const zero = bins.findIndex(({ from }) => from === 0);
  const every = Math.max(1, Math.ceil(58 / step));
  return (
    <g className="figures fill-ink-3 text-floor">
      {bins.map(({ from }, index) =>
        from === null || (index - zero) % every !== 0 ? null : (
          <text
            key={from}
            x={LEFT + index * step}
            y={HEIGHT - 8}
            textAnchor="middle"
            className={from === 0 ? "fill-ink font-semibold" : ""}
          >
            {from === 0 ? "0" : edge(from)}
          </text>
        ),
      )}
    </g>
  );
}
