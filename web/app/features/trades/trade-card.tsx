import { Excerpt, Price, TradeLink } from "#features/trades/trade-cells.tsx";
import type { Trade } from "#features/trades/trade-pages.ts";
import { TradeResultText } from "#features/trades/trade-result.tsx";
import type { TradeResult } from "#features/trades/use-trade-results.ts";
import { useAccountName } from "#lib/broker-accounts.ts";
import { count, dateTime, time } from "#lib/format.ts";
import { SidePill } from "#ui/side-pill.tsx";

export type TradeCardProps = {
  /** Undefined while loading. */
  trade: Trade | undefined;
  result: TradeResult | null | undefined;
  withDate: boolean;
  /** Text of the notes in which the search was found. */
  excerpt: string | undefined;
};

/** Trade in the list on a phone: side, symbol, price, time, broker, quantity and net P&L. */
export function TradeCard({ trade, result, withDate, excerpt }: TradeCardProps) {
  const accountName = useAccountName();
  return (
    <div className="flex h-full">
      <div className="flex w-[3.75rem] shrink-0 min-[22rem]:w-[4.125rem] items-center border-rule border-r">
        {trade ? <SidePill side={trade.type} /> : <PlaceholderBar className="w-12" />}
      </div>
      <div className="flex min-w-0 flex-1 flex-col justify-center gap-1 pl-2.5 min-[22rem]:pl-3.5">
        {trade ? (
          <>
            <p className="flex justify-between gap-3 text-ui leading-tight">
              <TradeLink
                trade={trade}
                brief
                className="flex min-w-0 items-center gap-2 font-semibold -outline-offset-2 after:absolute after:inset-0"
              />
              <Price value={trade.price} />
            </p>
            <p className="flex justify-between gap-3 text-floor text-ink-2">
              <span className="truncate">
                {[timeText(trade, withDate), accountName(trade)].filter(Boolean).join(" · ")}
              </span>
              <span className="figures flex shrink-0 gap-2">
                Qty {count(trade.quantity)}
                {result?.net !== undefined && <TradeResultText result={result} />}
              </span>
            </p>
            {excerpt && <Excerpt text={excerpt} className="text-floor leading-tight" />}
          </>
        ) : (
          <>
            <span className="sr-only">Loading</span>
            <PlaceholderBar className="w-32" />
            <PlaceholderBar className="w-24" />
          </>
        )}
      </div>
    </div>
  );
}

function timeText(trade: Trade, withDate: boolean): string {
  if (withDate) return dateTime(trade.timestamp, trade.timePrecision);
  return trade.timePrecision === "day" ? "" : time(trade.timestamp);
}

function PlaceholderBar({ className }: { className: string }) {
  return <div aria-hidden="true" className={`my-1 h-2.5 max-w-full rounded-tag bg-line ${className}`} />;
}
