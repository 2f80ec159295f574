import type { ReactNode } from "react";
import type { Trade } from "#features/trade-detail/trade-requests.ts";
import { brokerName, tradeTypeName } from "#lib/books.ts";
import { useAccountName } from "#lib/broker-accounts.ts";
import { count, dayHeading, time } from "#lib/format.ts";
import { Money } from "#ui/money.tsx";
import { SidePill } from "#ui/side-pill.tsx";

/** Data of a trade without its notes. */
export function TradeFacts({ trade }: { trade: Trade }) {
  const accountName = useAccountName();
  const day = dayHeading(trade.timestamp);
  return (
    <>
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-ui">
        <SidePill side={trade.type} />
        <span>{trade.imported ? `From ${brokerName(trade.broker)}'s file` : "Entered manually"}</span>
        {trade.edited && (
          <span className="rounded-tag border border-line-strong px-1.5 font-medium text-floor">Edited</span>
        )}
      </p>
      <dl className="mt-5 grid grid-cols-2 border-line border-y py-4 text-ink gap-x-6 gap-y-4">
        <Fact term="Quantity">{count(trade.quantity)}</Fact>
        <Fact term="Price">
          <Money value={trade.price} />
        </Fact>
        <Fact term="Value">
          <Money value={trade.value} />
        </Fact>
        <Fact term="Timestamp">
          {trade.timePrecision === "day" ? day : `${day}, ${time(trade.timestamp)}`}
        </Fact>
        <Fact term="Broker">{accountName(trade)}</Fact>
        <Fact term="Trade type">{tradeTypeName(trade.tradetype)}</Fact>
        <Fact term="Market">{trade.exchange}</Fact>
        {trade.contract && <Fact term="Symbol">{trade.symbol}</Fact>}
        {trade.stockName && <Fact term="Stock name">{trade.stockName}</Fact>}
      </dl>
    </>
  );
}

function Fact({ term, children }: { term: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-floor text-ink-3">{term}</dt>
      <dd className="figures break-words font-medium text-ui">{children}</dd>
    </div>
  );
}
