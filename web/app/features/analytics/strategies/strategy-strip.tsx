import type { Strategy, StrategyPayoff } from "#features/analytics/analytics-api.ts";
import { inrWhole } from "#features/analytics/analytics-format.ts";
import { Figure, Gain } from "#features/analytics/figures/figure.tsx";
import { hasExit, NetResult } from "#features/analytics/strategies/net-result.tsx";
import { breakEvensText } from "#features/analytics/strategies/payoff-text.ts";
import { count, inrPaise } from "#lib/format.ts";
import { percent } from "#lib/ratio-format.ts";

type StrategyStripProps = { strategy: Strategy; payoff: StrategyPayoff | null };

/** Key figures of a strategy in a row of tiles. */
export function StrategyStrip({ strategy, payoff }: StrategyStripProps) {
  const { gross, charges } = strategy;
  return (
    <section aria-label="Figures" className="overflow-hidden rounded-panel border border-line bg-surface">
      <dl className="-mr-px -mb-px grid grid-cols-2 md:grid-cols-3 min-[72rem]:grid-cols-5">
        <Figure
          term="Net P&L, after charges"
          value={<NetResult {...strategy} />}
          foot={
            hasExit(strategy)
              ? `${inrPaise(gross)} gross, ${inrPaise(charges)} charges`
              : "nothing is closed yet"
          }
          className="max-md:col-span-2"
        />
        <Credit strategy={strategy} />
        {payoff && (
          <>
            <Figure
              term="Break-evens, after charges"
              value={breakEvensText(payoff)}
              foot={breakEvenFoot(payoff)}
            />
            <Figure
              term="Max profit and loss"
              value={
                <span className="flex flex-col">
                  <Limit term="Profit" value={payoff.maxProfit} />
                  <Limit term="Loss" value={payoff.maxLoss} />
                </span>
              }
              foot="at expiry, after charges"
            />
          </>
        )}
        <DaysToExpiry strategy={strategy} />
      </dl>
    </section>
  );
}

/** Share of the credit that was kept, or the credit or debit itself. */
function Credit({ strategy: { creditKept, premium, gross, legs } }: { strategy: Strategy }) {
  if (creditKept !== undefined) {
    // The result of shares and futures is no part of it.
    const hasOnlyOptions = legs.every(({ contract }) => contract?.kind === "CE" || contract?.kind === "PE");
    const credit = inrWhole(premium);
    const foot = hasOnlyOptions ? `${inrWhole(gross)} of ${credit}` : `options only, of ${credit} credit`;
    return <Figure term="Credit kept" value={percent(creditKept)} foot={foot} />;
  }
  return (
    <Figure
      term={premium < 0 ? "Premium paid" : "Credit"}
      value={inrWhole(Math.abs(premium))}
      foot={premium < 0 ? "net debit of the options" : "net credit of the options"}
    />
  );
}

/** Limit of the payoff; null if it is unlimited. */
function Limit({ term, value }: { term: string; value: number | null }) {
  return (
    <span className="flex flex-wrap items-baseline gap-x-1.5">
      <span className="font-normal text-data text-ink-2">{term}</span>
      {value === null ? "unlimited" : <Gain value={value} />}
    </span>
  );
}

function breakEvenFoot({ breakEvens, maxProfit }: StrategyPayoff): string {
  const [low, high] = [breakEvens[0], breakEvens.at(-1)];
  if (low === undefined || high === undefined)
    return maxProfit !== null && maxProfit <= 0 ? "a loss at every price" : "a profit at every price";
  return low === high ? "price of the underlying at expiry" : `${count(Math.round(high - low))} points apart`;
}

function DaysToExpiry({ strategy }: { strategy: Strategy }) {
  const { daysToExpiryAtEntry: entry, daysToExpiryAtExit: exit, state } = strategy;
  if (entry === null) return <Figure term="Days to expiry" value="–" foot="expiry not known" />;
  return (
    <Figure
      term="Days to expiry"
      value={exit === null ? `${count(entry)} in` : `${count(entry)} in, ${count(exit)} out`}
      foot={state === "open" ? "still open" : "at entry and exit"}
    />
  );
}
