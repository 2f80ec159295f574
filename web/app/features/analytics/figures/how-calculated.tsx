export const TERMS = [
  {
    term: "Position",
    text: "One instrument in one account, from flat to flat, with all additions and partial exits. Win rate, averages, streaks and R count positions unless you choose closed trades or strategies. A position counts on the day it is flat; its partial results count on the days of the exits.",
  },
  {
    term: "Closed trade",
    text: "One closing order and the lots it closed, first in, first out. Fills of one order count once; a position closed by three orders is three closed trades. Its date is the exit date in India.",
  },
  {
    term: "Strategy",
    text: "A group of positions that you took as one decision, such as an iron condor. We group legs that were opened within 5 minutes, or the minutes that you choose, and form a known shape, and legs that limit the risk of an open one or replace it. You can confirm, join and split strategies. Positions outside of strategies count one each. A strategy counts on the day its last leg is closed; its partial results count on the days of the exits. One opened for a debit counts as long, one for a credit as short.",
  },
  {
    term: "Gross, charges, net",
    text: "Gross is sale value minus buy value. Charges are those that your broker states in contract notes, or in the tradebooks of Angel One, Dhan and Paytm Money, if you imported them, and otherwise estimated with the rates of each trade date. Net is gross minus charges.",
  },
  {
    term: "Win rate",
    text: "Share of positions, closed trades or strategies with a profit after charges. The interval below it contains the true rate in 95 of 100 such cases (Wilson interval).",
  },
  {
    term: "Profit factor, payoff ratio",
    text: "Profit factor is total profit divided by total loss: above 1 you made money. Payoff ratio is the average win divided by the average loss.",
  },
  { term: "Expectancy", text: "Average net result of a position, closed trade or strategy." },
  {
    term: "R",
    text: "Net result divided by the initial risk: the loss, before charges, if the position had been closed at the stop loss you noted on its opening trades. +2R is a profit of twice the risk, −1R a loss of all of it. Without a stop loss there is no R. If you count strategies, only positions outside of them have an R.",
  },
  {
    term: "Max drawdown",
    text: "Largest fall of the cumulative net P&L below its highest point, by day, and the time it took to recover.",
  },
  {
    term: "Largest entry value at a time",
    text: "Highest total value, at entry prices, of positions held at the same time. For a short option it is the premium you received, for a future the contract value. It is neither the margin your broker asked for nor your capital.",
  },
  {
    term: "Too few trades",
    text: "With fewer than 20 of them a rate is mostly chance, so it is not shown.",
  },
] as const;

/** Explanation of each figure. */
export function HowCalculated() {
  return (
    <details className="rounded-panel border border-line bg-surface">
      <summary className="flex min-h-13 cursor-pointer items-center px-4 font-semibold text-ui sm:px-6">
        How we calculate this
      </summary>
      <dl className="border-line border-t px-4 pb-5 text-data sm:px-6">
        {TERMS.map(({ term, text }) => (
          <div key={term} className="grid gap-x-6 border-line pt-3 sm:grid-cols-[11rem_1fr]">
            <dt className="font-semibold">{term}</dt>
            <dd className="max-w-prose text-ink-2">{text}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
