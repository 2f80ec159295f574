import clsx from "clsx";
import type { ReactNode } from "react";
import type { Figures } from "#features/analytics/analytics-api.ts";
import {
  duration,
  factor,
  inrWhole,
  multiple,
  percent,
  signedWhole,
} from "#features/analytics/analytics-format.ts";
import { Interval } from "#features/analytics/figures/interval.tsx";
import { BehindLink } from "#features/analytics/tables/behind-link.tsx";
import { count, inrPaise, plural, signed } from "#lib/format.ts";
import { period } from "#lib/period.ts";
import { DownMark, UpMark } from "#ui/marks.tsx";

/** The figures that one asks for first, in one ruled row; those that one asks for next, quieter, underneath. */
export function FiguresStrip({ figures }: { figures: Figures }) {
  return (
    <section aria-label="Figures" className="overflow-hidden rounded-panel border border-line bg-surface">
      <dl className="-mr-px -mb-px grid grid-cols-2 md:grid-cols-3 min-[72rem]:grid-cols-[1.6fr_1fr_0.9fr_0.95fr_1.3fr_1.35fr]">
        <Net figures={figures} />
        <WinRate figures={figures} />
        <Figure
          term="Profit factor"
          value={figures.profitFactor === null ? "–" : factor(figures.profitFactor)}
          foot={figures.payoff === null ? "won over lost" : `payoff ${factor(figures.payoff)}`}
        />
        <Figure term="Expectancy" value={<Gain value={figures.expectancy} />} foot="per closed trade" />
        <Averages figures={figures} />
        <Drawdown figures={figures} />
      </dl>
      <Quiet figures={figures} />
    </section>
  );
}

function Net({ figures: { net, gross, charges } }: { figures: Figures }) {
  const words = signed(net);
  return (
    <div className="col-span-2 border-line border-r border-b px-4 py-4 md:col-span-1 sm:px-6">
      <Term>Net P&amp;L, after charges</Term>
      <dd className="mt-2">
        <BehindLink behind={{ kind: "all" }} className="hover:underline">
          <span
            className={clsx(
              "figures flex items-baseline gap-2 whitespace-nowrap font-heading font-semibold leading-tight",
              // A lakh and more would not fit beside the other figures.
              words.length > 11 ? "text-[1.375rem]" : "text-[1.75rem]",
              tone(net),
            )}
          >
            <Mark value={net} />
            {words}
          </span>
        </BehindLink>
        <Foot>
          {inrWhole(gross)} gross
          <br />
          {inrWhole(charges)} charges
        </Foot>
      </dd>
    </div>
  );
}

function WinRate({ figures: { winRate, tooFew } }: { figures: Figures }) {
  if (!winRate) return <Figure term="Win rate" value="–" foot="nothing closed" />;
  const { rate, low, high } = winRate;
  return (
    <Figure
      term="Win rate"
      value={tooFew ? <span className="font-medium text-ink-2 text-ui">too few trades</span> : percent(rate)}
      drawing={!tooFew && <Interval low={low} value={rate} high={high} even={0.5} />}
      foot={`${percent(low).replace("%", "")} to ${percent(high)}`}
      note="95% interval"
    />
  );
}

function Averages({ figures: { averageWin, averageLoss, wins, losses } }: { figures: Figures }) {
  return (
    <Figure
      term="Average win, loss"
      value={
        <span className="flex flex-wrap gap-x-3">
          <Gain value={averageWin} />
          <Gain value={averageLoss} />
        </span>
      }
      foot={
        <>
          <BehindLink behind={{ kind: "result", result: "win" }} className="link">
            {count(wins)} won
          </BehindLink>
          {", "}
          <BehindLink behind={{ kind: "result", result: "loss" }} className="link">
            {count(losses)} lost
          </BehindLink>
        </>
      }
    />
  );
}

function Drawdown({ figures: { drawdown } }: { figures: Figures }) {
  if (!drawdown)
    return (
      <Figure term="Deepest fall" value="None" foot="always at the peak" className="max-md:col-span-2" />
    );
  const { amount, days, from, to } = drawdown;
  return (
    <Figure
      term="Deepest fall"
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

type FigureProps = {
  term: string;
  value: ReactNode;
  drawing?: ReactNode;
  foot: ReactNode;
  note?: string;
  className?: string;
};

function Figure({ term, value, drawing, foot, note, className }: FigureProps) {
  return (
    <div className={clsx("border-line border-r border-b px-4 py-4 sm:px-6 min-[72rem]:px-5", className)}>
      <Term>{term}</Term>
      <dd className="mt-2">
        <span className="figures font-heading font-semibold text-h4">{value}</span>
        {drawing && <span className="mt-1 block">{drawing}</span>}
        <Foot>
          {note && <span className="sr-only">{note}: </span>}
          {foot}
        </Foot>
      </dd>
    </div>
  );
}

function Term({ children }: { children: ReactNode }) {
  return <dt className="text-data text-ink-2">{children}</dt>;
}

function Foot({ children }: { children: ReactNode }) {
  return <span className="mt-1.5 block text-floor text-ink-2">{children}</span>;
}

function tone(value: number): string {
  if (value === 0) return "text-ink-3";
  return value > 0 ? "text-gain" : "text-loss";
}

function Mark({ value }: { value: number }) {
  if (value === 0) return null;
  return value > 0 ? <UpMark /> : <DownMark />;
}

/** Whole rupees with mark, sign and colour; a dash where there is nothing to divide by. */
export function Gain({ value }: { value: number | null }) {
  if (value === null) return <>–</>;
  return (
    <span className={`inline-flex items-baseline gap-1.5 whitespace-nowrap ${tone(value)}`}>
      <Mark value={value} />
      {signedWhole(value)}
    </span>
  );
}

function Quiet({ figures }: { figures: Figures }) {
  const { best, worst, currentStreak, holdingSeconds, risk } = figures;
  const streak =
    currentStreak === 0
      ? ""
      : `, now ${count(Math.abs(currentStreak))} ${currentStreak > 0 ? "won" : "lost"}`;
  const rows = [
    best && { term: "Best", value: <One closedTrade={best} /> },
    worst && { term: "Worst", value: <One closedTrade={worst} /> },
    {
      term: "Longest streaks",
      value: `${count(figures.longestWinStreak)} won, ${count(figures.longestLossStreak)} lost${streak}`,
    },
    holdingSeconds !== null && { term: "Held on average", value: duration(holdingSeconds) },
    risk && {
      term: "Average R",
      value: `${risk.tooFew ? "too few trades" : multiple(risk.average)}, ${multiple(risk.worst)} to ${multiple(risk.best)} of ${plural(risk.closedTrades, "closed trade")}`,
    },
    { term: "Capital used at most", value: inrWhole(figures.capitalUsed) },
    { term: "Turnover", value: inrPaise(figures.turnover) },
  ];
  return (
    <dl className="flex flex-wrap gap-x-8 gap-y-1.5 border-line border-t px-4 py-3 text-floor sm:px-6">
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

function One({ closedTrade: { id, symbol, net } }: { closedTrade: NonNullable<Figures["best"]> }) {
  return (
    <BehindLink behind={{ kind: "closedTrade", id }} className="link">
      {`${symbol} ${signedWhole(net)}`}
    </BehindLink>
  );
}
