import { useMemo, useState } from "react";
import { signedWhole } from "#features/analytics/analytics-format.ts";
import { ChartSlider } from "#features/analytics/charts/chart-slider.tsx";
import { bandPath, linePath, type Point } from "#features/analytics/charts/scale.ts";
import { useWidth } from "#features/analytics/charts/use-width.ts";
import {
  BOTTOM,
  HEIGHT,
  LEFT,
  labelledStrikes,
  type PayoffInput,
  type PayoffShape,
  payoffShape,
  profitAt,
} from "#features/analytics/strategies/payoff-shape.ts";
import { count, inrCompact } from "#lib/format.ts";

export type PayoffChartProps = {
  underlying: string;
  input: PayoffInput;
  /** Strikes of the last legs, ascending. */
  strikes: readonly number[];
};

/** Chart width in pixels from which the result is labelled in the chart; below it, only in the legend. */
const WIDE = 480;

/** Outline of a label in the colour of the panel, for labels that a line may cross. */
const HALO = { stroke: "var(--surface)", strokeWidth: 4, paintOrder: "stroke" } as const;

/** Width in pixels of the label of a strike or break-even. */
const LABEL_WIDTH = 48;

/** Result at expiry by the price of the underlying, as last adjusted and as first opened. */
export function PayoffChart({ underlying, input, strikes }: PayoffChartProps) {
  const [box, width] = useWidth<HTMLDivElement>();
  const [at, setAt] = useState<number>();
  const shape = useMemo(() => payoffShape(input, Math.max(width, 200)), [input, width]);
  return (
    <div className="px-4 pb-4 sm:px-6">
      <Readout
        underlying={underlying}
        input={width >= WIDE ? { ...input, result: undefined } : input}
        price={at === undefined ? undefined : shape.prices[at]}
      />
      <div ref={box} className="relative mt-2" style={{ height: HEIGHT }}>
        {width > 0 && (
          <svg
            width={width}
            height={HEIGHT}
            viewBox={`0 0 ${width} ${HEIGHT}`}
            aria-hidden="true"
            className="max-w-full"
          >
            <Axes shape={shape} strikes={strikes} />
            <Lines shape={shape} />
            {input.result !== undefined && (
              <ResultLine shape={shape} result={input.result} isLabelled={width >= WIDE} />
            )}
            <BreakEvens shape={shape} input={input} />
            {at !== undefined && <Pointer shape={shape} input={input} at={at} />}
          </svg>
        )}
        <ChartSlider
          label="Profit by price at expiry"
          places={shape.places}
          at={at}
          valueText={(index) => priceText(underlying, input, shape.prices[index] ?? 0)}
          onMove={setAt}
        />
      </div>
    </div>
  );
}

function priceText(underlying: string, { points, firstPoints }: PayoffInput, price: number): string {
  const first =
    firstPoints.length > 0 ? `, as first opened ${signedWhole(profitAt(firstPoints, price))}` : "";
  return `${underlying} at ${count(Math.round(price))}: ${signedWhole(profitAt(points, price))}${first}`;
}

type ReadoutProps = { underlying: string; input: PayoffInput; price: number | undefined };

/** Selected price, and the names of the lines with their values at it. Its height does not change with the selection. */
function Readout({ underlying, input: { points, firstPoints, result }, price }: ReadoutProps) {
  const valueAt = (line: PayoffInput["points"]) =>
    price === undefined ? "" : ` ${signedWhole(profitAt(line, price))}`;
  return (
    <div aria-hidden="true" className="figures text-data text-ink-2">
      <p className="font-semibold text-ink">
        {price === undefined ? `${underlying} at expiry` : `${underlying} ${count(Math.round(price))}`}
      </p>
      <p className="flex gap-x-5 max-sm:flex-col">
        <span>
          <Key className="border-brand border-t-2" />{" "}
          {firstPoints.length > 0 ? "After the last adjustment" : "Profit or loss"}
          {valueAt(points)}
        </span>
        {firstPoints.length > 0 && (
          <span>
            <Key className="border-ink-3 border-t-[1.5px] border-dashed" /> As first opened
            {valueAt(firstPoints)}
          </span>
        )}
        {result !== undefined && (
          <span>
            <Key className="border-marigold border-t-2" /> Closed at {signedWhole(result)}
          </span>
        )}
      </p>
    </div>
  );
}

function Key({ className }: { className: string }) {
  return <span className={`mr-1 inline-block h-0 w-4 align-middle ${className}`} />;
}

function Axes({
  shape: { x, y, right, marks },
  strikes,
}: {
  shape: PayoffShape;
  strikes: readonly number[];
}) {
  const labelled = labelledStrikes(strikes, x, LABEL_WIDTH);
  return (
    <g className="fill-ink-3 text-floor figures">
      {marks.map((mark) => (
        <g key={mark}>
          <path
            d={`M${LEFT} ${Math.round(y(mark)) + 0.5}H${right}`}
            className={mark === 0 ? "stroke-line-strong" : "stroke-line"}
          />
          <text x={LEFT - 8} y={y(mark)} dy="0.32em" textAnchor="end">
            {mark === 0 ? "0" : inrCompact(mark)}
          </text>
        </g>
      ))}
      {strikes.map((strike) => (
        <g key={strike}>
          <path d={`M${x(strike)} ${BOTTOM}v6`} className="stroke-line-strong" />
          {labelled.includes(strike) && (
            <text x={inside(x(strike), right)} y={BOTTOM + 22} textAnchor="middle">
              {count(strike)}
            </text>
          )}
        </g>
      ))}
    </g>
  );
}

/** Moves the centre of a label so that it stays inside the chart. */
function inside(center: number, right: number): number {
  return Math.min(Math.max(center, LEFT), right - LABEL_WIDTH / 2 + 8);
}

function Lines({ shape: { line, first, profit, loss, zero } }: { shape: PayoffShape }) {
  return (
    <g fill="none" strokeLinejoin="round">
      <path d={bandPath(profit, zero)} className="fill-gain/15" />
      <path d={bandPath(loss, zero)} className="fill-loss/15" />
      {first.length > 0 && (
        <path d={linePath(first)} className="stroke-ink-3" strokeDasharray="4 4" strokeWidth={1.25} />
      )}
      <path d={linePath(line)} className="stroke-brand" strokeWidth={2} />
    </g>
  );
}

type ResultLineProps = { shape: PayoffShape; result: number; isLabelled: boolean };

/** Level of the net result of a closed strategy. The price of the underlying at the close is not known. */
function ResultLine({ shape: { y, right, line }, result, isLabelled }: ResultLineProps) {
  const level = y(result);
  const distanceOf = (end: Point | undefined) => Math.abs((end?.[1] ?? level) - level);
  // At the end where the payoff is farther away.
  const isLeft = distanceOf(line[0]) >= distanceOf(line.at(-1));
  return (
    <g>
      <path d={`M${LEFT} ${level}H${right}`} className="stroke-marigold" strokeWidth={1.5} />
      {isLabelled && (
        <text
          x={isLeft ? LEFT + 4 : right - 4}
          y={level - 7}
          textAnchor={isLeft ? "start" : "end"}
          className="fill-ink-2 text-floor figures"
          {...HALO}
        >
          {`Closed at ${signedWhole(result)}`}
        </text>
      )}
    </g>
  );
}

type MarksProps = { shape: PayoffShape; input: PayoffInput };

/** Marks and prices of the break-evens; a price stands on the side of the loss, where the line does not cross it. */
function BreakEvens({ shape: { x, y, right }, input: { points, breakEvens } }: MarksProps) {
  return (
    <g className="fill-ink font-semibold text-floor figures">
      {breakEvens.map((price) => {
        const isRising = profitAt(points, price + 1) > profitAt(points, price - 1);
        const left = isRising ? x(price) - LABEL_WIDTH - 4 : x(price) + 8;
        return (
          <g key={price}>
            <circle cx={x(price)} cy={y(0)} r={4} className="fill-surface stroke-brand" strokeWidth={2} />
            <text x={Math.min(Math.max(left, LEFT + 2), right - LABEL_WIDTH)} y={y(0) - 9} {...HALO}>
              {count(Math.round(price))}
            </text>
          </g>
        );
      })}
    </g>
  );
}

function Pointer({ shape: { x, y, prices, marks }, input: { points }, at }: MarksProps & { at: number }) {
  const price = prices[at] ?? 0;
  return (
    <g>
      <path d={`M${x(price)} ${y(marks.at(-1) ?? 0)}V${BOTTOM}`} className="stroke-line-strong" />
      <circle
        cx={x(price)}
        cy={y(profitAt(points, price))}
        r={4}
        className="fill-surface stroke-brand"
        strokeWidth={2}
      />
    </g>
  );
}
