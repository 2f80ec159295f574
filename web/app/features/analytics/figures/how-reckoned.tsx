const TERMS = [
  {
    term: "Closed trade",
    text: "What one closing order took out of a position, first in, first out, with what it closed. Its day is the day in India on which it was closed.",
  },
  {
    term: "Gross, charges, net",
    text: "Gross is what was sold for less what was bought for. Charges are estimated by the law and the price lists of the day of each trade. Net is gross less charges.",
  },
  {
    term: "Win rate",
    text: "Closed trades with a net result above zero, of all. The interval under it holds the true rate in 95 of 100 such cases (Wilson).",
  },
  {
    term: "Profit factor, payoff",
    text: "All wins over all losses; and the average win over the average loss. Above 1 more is won than lost.",
  },
  { term: "Expectancy", text: "The net result of a closed trade on average." },
  {
    term: "R",
    text: "The net result over what was at risk: what would have been lost, before charges, at the stop loss that you noted beside the trades that opened it. 2R is twice that won, −1R all of it lost. Closed trades without a stop loss have none.",
  },
  {
    term: "Deepest fall",
    text: "How far the sum of net results fell below its highest point, by days, and how long it took to come back.",
  },
  { term: "Too few trades", text: "Below 20 closed trades a rate is mostly chance, and is not shown." },
] as const;

/** What each figure means, in a sentence. */
export function HowReckoned() {
  return (
    <details className="rounded-panel border border-line bg-surface">
      <summary className="flex min-h-13 cursor-pointer items-center px-4 font-semibold text-ui sm:px-6">
        How these figures are reckoned
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
