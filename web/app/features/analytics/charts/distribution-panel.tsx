import { useState } from "react";
import type { Bin, Figures } from "#features/analytics/analytics-api.ts";
import { factor, inrWhole, multiple, signedShort } from "#features/analytics/analytics-format.ts";
import { ChartPanel } from "#features/analytics/charts/panel.tsx";
import { linear, ticks } from "#features/analytics/charts/scale.ts";
import { Scrub } from "#features/analytics/charts/scrub.tsx";
import { useWidth } from "#features/analytics/charts/use-width.ts";
import { riskFinding, spreadFinding } from "#features/analytics/figures/findings.ts";
import { type Column, DataTable } from "#features/analytics/tables/data-table.tsx";
import { count, plural } from "#lib/format.ts";

const HEIGHT = 276;
const TOP = 8;
const LEFT = 36;
const BOTTOM = HEIGHT - 26;

export type DistributionPanelProps = { bins: readonly Bin[]; figures: Figures };

export function DistributionPanel({ bins, figures }: DistributionPanelProps) {
  return (
    <ChartPanel
      title={spreadFinding(figures)}
      text="How many round trips came to which net result."
      chart={<Histogram bins={bins} scale={RUPEES} />}
      table={() => <BinTable bins={bins} scale={RUPEES} />}
    />
  );
}

/** The same in R, of the round trips whose risk is known. */
export function RiskPanel({ bins, figures }: DistributionPanelProps) {
  return (
    <ChartPanel
      title={riskFinding(figures)}
      text="How many round trips came to which multiple of what was at risk, where a stop loss says what that was."
      chart={<Histogram bins={bins} scale={MULTIPLES} />}
      table={() => <BinTable bins={bins} scale={MULTIPLES} />}
    />
  );
}

type Scale = {
  caption: string;
  label: string;
  name: (bound: number) => string;
  edge: (bound: number) => string;
};

const RUPEES: Scale = {
  caption: "Spread of results",
  label: "Net result",
  name: inrWhole,
  edge: signedShort,
};
const MULTIPLES: Scale = { caption: "Spread of results in R", label: "R", name: multiple, edge: factor };

function BinTable({ bins, scale }: { bins: readonly Bin[]; scale: Scale }) {
  const name = (bin: Bin) => binName(bin, scale);
  const columns: readonly Column<Bin>[] = [
    { label: scale.label, cell: name },
    { label: "Round trips", figures: true, cell: ({ roundTrips }) => count(roundTrips) },
  ];
  return <DataTable caption={scale.caption} columns={columns} rows={bins} rowKey={name} />;
}

/** "₹500 to ₹1,000", "₹5,000 or better". */
function binName({ from, to }: Bin, { name }: Scale): string {
  if (from === null) return to === null ? "Any" : `Below ${name(to)}`;
  return to === null ? `${name(from)} or better` : `${name(from)} to ${name(to)}`;
}

function Histogram({ bins, scale }: { bins: readonly Bin[]; scale: Scale }) {
  const [box, width] = useWidth<HTMLDivElement>();
  const [at, setAt] = useState<number>();
  const most = Math.max(1, ...bins.map(({ roundTrips }) => roundTrips));
  const marks = ticks(0, most, 3).filter(Number.isInteger);
  const y = linear([0, marks.at(-1) ?? 1], [BOTTOM, TOP]);
  const step = (Math.max(width, 200) - LEFT) / Math.max(bins.length, 1);
  const places = bins.map((_, index) => LEFT + (index + 0.5) * step);
  const bin = at === undefined ? undefined : bins[at];
  const words = (index: number) => {
    const one = bins[index];
    return one ? `${binName(one, scale)}: ${plural(one.roundTrips, "round trip")}` : "";
  };

  return (
    <div className="px-4 pb-4 sm:px-6">
      <p aria-hidden="true" className="figures min-h-[1.45em] text-data text-ink-2">
        {bin && at !== undefined && words(at)}
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
                key={binName(one, scale)}
                x={LEFT + index * step + 1}
                width={Math.max(step - 2, 1)}
                y={y(one.roundTrips)}
                height={BOTTOM - y(one.roundTrips)}
                className={`${(one.to ?? 1) <= 0 ? "fill-loss" : "fill-gain"} ${at === undefined || at === index ? "" : "opacity-50"}`}
              />
            ))}
            <Edges bins={bins} step={step} scale={scale} />
          </svg>
        )}
        <Scrub label={scale.caption} places={places} at={at} words={words} onMove={setAt} />
      </div>
      <p className="mt-1 flex justify-between gap-4 text-floor text-ink-3">
        <span>Losses, left of 0</span>
        <span>Wins, right of 0</span>
      </p>
    </div>
  );
}

/** The bounds between the bars: as many as there is room for, 0 always. */
function Edges({ bins, step, scale }: { bins: readonly Bin[]; step: number; scale: Scale }) {
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
            {from === 0 ? "0" : scale.edge(from)}
          </text>
        ),
      )}
    </g>
  );
}
