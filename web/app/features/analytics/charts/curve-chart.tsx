import { useMemo, useState } from "react";
import type { Day, Figures } from "#features/analytics/analytics-api.ts";
import { inrWhole, signedWhole } from "#features/analytics/analytics-format.ts";
import { ChartSlider } from "#features/analytics/charts/chart-slider.tsx";
import {
  type CurveShape,
  curveShape,
  grossSums,
  HEIGHT,
  LEFT,
  separateLabels,
} from "#features/analytics/charts/curve-shape.ts";
import { dayTicks } from "#features/analytics/charts/days.ts";
import { bandPath, linePath } from "#features/analytics/charts/scale.ts";
import { useWidth } from "#features/analytics/charts/use-width.ts";
import { date, inrCompact } from "#lib/format.ts";

export type CurveChartProps = { days: readonly Day[]; drawdown: Figures["drawdown"] };

/** Width in pixels of the line labels right of the chart. */
const LABELS = 96;
/** Chart width in pixels from which the labels fit right of the chart; below it, only the legend names the lines. */
const WIDE = 640;

/** Equity curve: cumulative net and gross P&L with the charges between them, and the drawdown below. */
export function CurveChart({ days, drawdown }: CurveChartProps) {
  const [box, width] = useWidth<HTMLDivElement>();
  const [at, setAt] = useState<number>();
  const labels = width >= WIDE ? LABELS : 8;
  const shape = useMemo(() => curveShape(days, Math.max(width, 200), labels), [days, width, labels]);
  const sums = useMemo(() => grossSums(days), [days]);
  const shown = at ?? days.length - 1;
  const day = days[shown];
  if (!day) return null;

  return (
    <div className="px-4 pb-4 sm:px-6">
      <p aria-hidden="true" className="figures flex min-h-[1.45em] flex-wrap gap-x-5 text-data text-ink-2">
        <span className="font-semibold text-ink">{date(day.date)}</span>
        <span>
          <Key className="bg-brand" /> Net {signedWhole(day.equity)}
        </span>
        <span>
          <Key className="bg-ink-3" /> Gross {signedWhole(sums[shown] ?? 0)}
        </span>
        <span>
          <Key className="bg-loss" /> Drawdown {inrWhole(day.drawdown)}
        </span>
      </p>
      <div ref={box} className="relative mt-2" style={{ height: HEIGHT }}>
        {width > 0 && (
          <svg
            width={width}
            height={HEIGHT}
            viewBox={`0 0 ${width} ${HEIGHT}`}
            aria-hidden="true"
            className="max-w-full"
          >
            {drawdown && <DrawdownBand shape={shape} drawdown={drawdown} />}
            <Axes shape={shape} days={days} />
            <Lines shape={shape} />
            {labels === LABELS && (
              <LineLabels shape={shape} net={days.at(-1)?.equity ?? 0} gross={sums.at(-1) ?? 0} />
            )}
            {at !== undefined && <Pointer shape={shape} at={at} />}
          </svg>
        )}
        <ChartSlider
          label="Result by day"
          places={shape.places}
          at={at}
          valueText={(index) => dayText(days[index] ?? day, sums[index] ?? 0)}
          onMove={setAt}
        />
      </div>
    </div>
  );
}

function dayText({ date: at, equity, drawdown, net }: Day, gross: number): string {
  const below = drawdown < 0 ? `${inrWhole(-drawdown)} below the peak` : "at the peak";
  return `${date(at)}: ${signedWhole(net)} that day, total net ${signedWhole(equity)}, total gross ${signedWhole(gross)}, ${below}`;
}

function Key({ className }: { className: string }) {
  return <span className={`mr-1 inline-block h-0.5 w-3 align-middle ${className}`} />;
}

function Axes({ shape: { x, right, upper, lower }, days }: { shape: CurveShape; days: readonly Day[] }) {
  const room = Math.floor((right - LEFT) / 90);
  return (
    <g className="fill-ink-3 text-floor figures">
      {[upper, lower].map(({ y, marks }) =>
        marks.map((mark) => (
          <g key={`${y(mark)}`}>
            <path
              d={`M${LEFT} ${Math.round(y(mark)) + 0.5}H${right}`}
              className={mark === 0 ? "stroke-line-strong" : "stroke-line"}
            />
            <text x={LEFT - 8} y={y(mark)} dy="0.32em" textAnchor="end">
              {mark === 0 ? "0" : inrCompact(mark)}
            </text>
          </g>
        )),
      )}
      {dayTicks(days[0]?.date ?? "", days.at(-1)?.date ?? "", Math.max(room, 2)).map(({ day, label }) => (
        <g key={day}>
          <path d={`M${x(day)} ${lower.bottom}v5`} className="stroke-line-strong" />
          <text x={x(day)} y={lower.bottom + 20} textAnchor={x(day) > right - 24 ? "end" : "middle"}>
            {label}
          </text>
        </g>
      ))}
    </g>
  );
}

function Lines({ shape: { net, gross, drawdown, lower } }: { shape: CurveShape }) {
  const zero = drawdown.map(([x]) => [x, lower.y(0)] as const);
  return (
    <g fill="none" strokeLinejoin="round">
      <path d={bandPath(gross, net)} className="fill-ink-3/12" />
      <path d={linePath(gross)} className="stroke-ink-3" strokeDasharray="3 4" strokeWidth={1.25} />
      <path d={linePath(net)} className="stroke-brand" strokeWidth={2} />
      <path d={bandPath(drawdown, zero)} className="fill-loss/20" />
      <path d={linePath(drawdown)} className="stroke-loss" strokeWidth={1.5} />
    </g>
  );
}

type DrawdownBandProps = { shape: CurveShape; drawdown: NonNullable<Figures["drawdown"]> };

/** Background of the max drawdown, from the peak to the lowest day. */
function DrawdownBand({ shape: { x, upper, lower }, drawdown: { from, to } }: DrawdownBandProps) {
  const [start, end] = [x(from), x(to)];
  const top = upper.y(upper.marks.at(-1) ?? 0);
  return (
    <g>
      <rect
        x={start}
        y={top}
        width={Math.max(end - start, 1)}
        height={lower.bottom - top}
        className="fill-loss/10"
      />
      {end - start > 96 && (
        <text
          x={(start + end) / 2}
          y={top + 18}
          textAnchor="middle"
          className="fill-loss font-semibold text-floor"
        >
          Max drawdown
        </text>
      )}
    </g>
  );
}

function LineLabels({
  shape: { right, upper, lower },
  net,
  gross,
}: {
  shape: CurveShape;
  net: number;
  gross: number;
}) {
  const [grossAt, netAt] = separateLabels(upper.y(gross), upper.y(net), 36);
  const x = right + 10;
  return (
    <g className="text-floor figures">
      <text x={x} y={grossAt - 2} className="fill-ink-2">
        Gross
        <tspan x={x} dy="1.25em">
          {inrWhole(gross)}
        </tspan>
      </text>
      <text x={x} y={netAt - 2} className="fill-brand font-semibold">
        Net
        <tspan x={x} dy="1.25em">
          {inrWhole(net)}
        </tspan>
      </text>
      <text x={x} y={lower.top + 12} className="fill-loss">
        Drawdown
      </text>
      <circle cx={right} cy={upper.y(net)} r={3.5} className="fill-brand" />
    </g>
  );
}

function Pointer({ shape: { places, net, drawdown, upper, lower }, at }: { shape: CurveShape; at: number }) {
  const x = places[at] ?? 0;
  return (
    <g>
      <path d={`M${x} ${upper.y(upper.marks.at(-1) ?? 0)}V${lower.bottom}`} className="stroke-line-strong" />
      <circle cx={x} cy={net[at + 1]?.[1]} r={4} className="fill-surface stroke-brand" strokeWidth={2} />
      <circle
        cx={x}
        cy={drawdown[at + 1]?.[1]}
        r={3.5}
        className="fill-surface stroke-loss"
        strokeWidth={2}
      />
    </g>
  );
}
