import clsx from "clsx";
import { Link } from "react-router";
import type { Figures } from "#features/analytics/analytics-api.ts";
import { duration, factor, inrWhole, signedWhole } from "#features/analytics/analytics-format.ts";
import { Amount, Figure, Foot, Gain, Mark, Term, tone } from "#features/analytics/figures/figure.tsx";
import { chargesText } from "#features/analytics/figures/headlines.ts";
import { riskUnit, type UnitName, unitCount, unitPlural } from "#features/analytics/filters/units.ts";
import { DrilldownLink } from "#features/analytics/tables/drilldown-link.tsx";
import { PositionLink } from "#features/analytics/tables/position-link.tsx";
import { StrategyLink } from "#features/analytics/tables/strategy-link.tsx";
import { FIX_PATH } from "#lib/analytics-paths.ts";
import { tradeName } from "#lib/contract.ts";
import { count, inrPaise, plural, signed } from "#lib/format.ts";
import { period } from "#lib/period.ts";
import { multiple, percent } from "#lib/ratio-format.ts";

export type FiguresStripProps = {
  figures: Figures;
  unit: UnitName;
  /** Leaves out the further figures. */
  brief?: boolean;
};

const UNIT_TEXTS: Readonly<Record<UnitName, string>> = {
  position:
    "A position is one instrument in one account, from flat to flat, with all additions and partial exits.",
  "closed trade": "A closed trade is one closing order with the lots it closed.",
  strategy:
    "A strategy is a group of positions that you took as one decision, such as an iron condor. Positions outside of strategies count one each.",
};

/** Key figures in a row of tiles, with further figures in smaller type below. */
export function FiguresStrip({ figures, unit, brief = false }: FiguresStripProps) {
  return (
    <section aria-label="Figures" className="overflow-hidden rounded-panel border border-line bg-surface">
      <dl className="-mr-px -mb-px grid grid-cols-2 md:grid-cols-3 min-[72rem]:grid-cols-[1.6fr_1fr_0.9fr_0.95fr_1.3fr_1.35fr]">
        <Net figures={figures} unit={unit} />
        <WinRate figures={figures} unit={unit} />
        <Figure
          term="Profit factor, after charges"
          value={figures.profitFactor === null ? "–" : factor(figures.profitFactor)}
          foot={
            figures.payoff === null ? "total profit ÷ total loss" : `payoff ratio ${factor(figures.payoff)}`
          }
        />
        <Figure
          term="Expectancy, after charges"
          value={<Gain value={figures.expectancy} />}
          foot={`average per ${unit}`}
        />
        <Averages figures={figures} />
        <Drawdown figures={figures} />
      </dl>
      <p className="border-line border-t px-4 py-3 text-floor text-ink-2 sm:px-6">
        {`${UNIT_TEXTS[unit]} ${chargesText(figures)}`}
      </p>
      {!brief && <FurtherFigures figures={figures} unit={unit} />}
    </section>
  );
}

function Net({ figures: { net, gross, charges, partialNet, doubtfulClosedTrades }, unit }: WithUnit) {
  // Longer amounts do not fit beside the other tiles at full size.
  const size = signed(net).length > 11 ? "text-[1.375rem]" : "text-[1.75rem]";
  return (
    <div className="col-span-2 border-line border-r border-b px-4 py-4 md:col-span-1 sm:px-6">
      <Term>Net P&amp;L, after charges</Term>
      <dd className="mt-2">
        <DrilldownLink drilldown={{ kind: "all" }} className="hover:underline">
          <span
            className={clsx(
              "figures flex items-baseline gap-2 whitespace-nowrap font-heading font-semibold leading-tight",
              size,
              tone(net),
            )}
          >
            <Mark value={net} />
            <Amount value={net} format={signed} />
          </span>
        </DrilldownLink>
        <Foot>
          <Amount value={gross} format={inrWhole} /> gross
          <br />
          <Amount value={charges} format={inrWhole} /> charges
          {partialNet !== 0 && (
            <span className="block">
              <Amount value={partialNet} format={signedWhole} /> of it from partial exits
            </span>
          )}
          {doubtfulClosedTrades > 0 && (
            <Link to={FIX_PATH} className="link block text-warn!">
              {`${unitCount(doubtfulClosedTrades, unit)} may change`}
            </Link>
          )}
        </Foot>
      </dd>
    </div>
  );
}

type WithUnit = { figures: Figures; unit: UnitName };

function WinRate({ figures: { winRate, wins, closedTrades, sampleTooSmall }, unit }: WithUnit) {
  if (!winRate)
    return <Figure term="Win rate, after charges" value="–" foot={`no ${unitPlural(unit)} closed`} />;
  const { rate, low, high } = winRate;
  return (
    <Figure
      term="Win rate, after charges"
      value={
        sampleTooSmall ? (
          <span className="font-medium text-ink-2 text-ui">too few trades</span>
        ) : (
          percent(rate)
        )
      }
      drawing={!sampleTooSmall && <Interval low={low} value={rate} high={high} even={0.5} />}
      foot={
        <>
          {`${count(wins)} of ${unitCount(closedTrades, unit)}`}
          <br />
          <span className="sr-only">95% confidence interval: </span>
          {`${percent(low).replace("%", "")} to ${percent(high)}`}
        </>
      }
    />
  );
}

function Averages({ figures: { averageWin, averageLoss, wins, losses } }: { figures: Figures }) {
  return (
    <Figure
      term="Average win and loss, after charges"
      value={
        <span className="flex flex-wrap gap-x-3">
          <Gain value={averageWin} />
          <Gain value={averageLoss} />
        </span>
      }
      foot={
        <>
          <DrilldownLink drilldown={{ kind: "result", result: "win" }} className="link">
            {count(wins)} won
          </DrilldownLink>
          {", "}
          <DrilldownLink drilldown={{ kind: "result", result: "loss" }} className="link">
            {count(losses)} lost
          </DrilldownLink>
        </>
      }
    />
  );
}

function Drawdown({ figures: { drawdown } }: { figures: Figures }) {
  if (!drawdown)
    return (
      <Figure
        term="Max drawdown, after charges"
        value="None"
        foot="never below the peak"
        className="max-md:col-span-2"
      />
    );
  const { amount, days, from, to } = drawdown;
  return (
    <Figure
      term="Max drawdown, after charges"
      className="max-md:col-span-2"
      value={<Gain value={amount} />}
      foot={
        <>
          {period(from, to)}
          <br />
          {plural(days, "day")} below the peak
        </>
      }
    />
  );
}

function FurtherFigures({ figures, unit }: WithUnit) {
  const { best, worst, currentStreak, holdingSeconds, risk } = figures;
  const streak =
    currentStreak === 0
      ? ""
      : `, now ${count(Math.abs(currentStreak))} ${currentStreak > 0 ? "won" : "lost"}`;
  // Positions outside of strategies count as well.
  const result = unit === "strategy" ? "strategy or position" : unit;
  const rows = [
    best && { term: `Best ${result}, after charges`, value: <NamedResult unit={unit} result={best} /> },
    worst && { term: `Worst ${result}, after charges`, value: <NamedResult unit={unit} result={worst} /> },
    {
      term: "Longest streaks",
      value: `${count(figures.longestWinStreak)} won, ${count(figures.longestLossStreak)} lost${streak}`,
    },
    holdingSeconds !== null && { term: "Average holding time", value: duration(holdingSeconds) },
    risk && {
      term: "Average R, after charges",
      value: `${risk.sampleTooSmall ? "too few trades" : multiple(risk.average)}, ${multiple(risk.worst)} to ${multiple(risk.best)} in ${unitCount(risk.closedTrades, riskUnit(unit))}`,
    },
    {
      term: "Largest entry value at a time (not margin)",
      value: <Amount value={figures.maxEntryValue} format={inrWhole} />,
    },
    { term: "Turnover, buys plus sells", value: <Amount value={figures.turnover} format={inrPaise} /> },
  ];
  return (
    <dl className="flex flex-wrap gap-x-8 gap-y-1.5 px-4 pb-3 text-floor sm:px-6">
      {rows.map(
        (row) =>
          row && (
            <div key={row.term} className="flex gap-2">
              <dt className="text-ink-2">{row.term}</dt>
              <dd className="figures font-semibold">{row.value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

type NamedResultProps = { unit: UnitName; result: NonNullable<Figures["best"]> };

function NamedResult({ unit, result }: NamedResultProps) {
  const net = signedWhole(result.net);
  if (result.isStrategy)
    return (
      <StrategyLink id={result.id}>
        {`${result.contract?.underlying ?? result.symbol} strategy ${net}`}
      </StrategyLink>
    );
  const name = `${tradeName(result)} ${net}`;
  if (unit !== "closed trade") return <PositionLink id={result.id}>{name}</PositionLink>;
  return (
    <DrilldownLink drilldown={{ kind: "closedTrade", id: result.id }} className="link">
      {name}
    </DrilldownLink>
  );
}

type IntervalProps = {
  low: number;
  value: number;
  high: number;
  /** Break-even value, drawn as a tick in the middle. */
  even: number;
};

/** Line with a value, its confidence interval and a tick at break-even. */
function Interval({ low, value, high, even }: IntervalProps) {
  // The scale fits the interval, centred on `even`: on a line from 0 to 1, a narrow interval would be invisible.
  const reach = Math.max(even - low, high - even, 0.05) * 1.3;
  const x = (share: number) => 60 + ((share - even) / reach) * 56;
  return (
    <svg width="120" height="12" viewBox="0 0 120 12" aria-hidden="true" className="max-w-full">
      <path d="M4 6h112" className="stroke-line" strokeWidth="2" />
      <path d={`M${x(even)} 1v10`} className="stroke-line-strong" strokeWidth="1.5" />
      <path d={`M${x(low)} 6H${x(high)}`} className="stroke-brand/50" strokeWidth="3" />
      <circle cx={x(value)} cy="6" r="3.5" className="fill-brand" />
    </svg>
  );
}
