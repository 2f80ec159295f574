import { EXAMPLE_LOG, grossResult } from "#content/example-log.ts";
import { count, inrPaise } from "#lib/format.ts";
import { Result } from "#ui/money.tsx";
import { SidePill } from "#ui/side-pill.tsx";

const HEAD = "h-10 px-3 @[40rem]:px-4 font-medium text-floor text-ink-3";

/** An example Trade Log, rendered with the components of the product. */
export function ExampleLedger() {
  const { trades, updated } = EXAMPLE_LOG;
  return (
    <section aria-labelledby="example-log" className="@container min-w-0">
      <div className="flex h-14 items-center gap-3 px-4 @[40rem]:px-5">
        <h2 id="example-log" className="text-h4">
          Trade Log
        </h2>
        <span className="rounded-tag border border-line px-2 text-floor text-ink-2">Example</span>
        <p className="ml-auto flex items-center gap-2 text-data text-ink-2 max-[26rem]:hidden">
          <span aria-hidden="true" className="size-2 rounded-full bg-marigold" />
          {updated}
        </p>
      </div>
      <table className="w-full border-line border-t text-data">
        <thead>
          <tr className="border-line border-b text-left">
            <th scope="col" className={`${HEAD} w-19 border-rule border-r @[40rem]:w-26 @[40rem]:pl-5`}>
              Type
            </th>
            <th scope="col" className={HEAD}>
              Symbol
            </th>
            <th scope="col" className={`${HEAD} text-right @max-[40rem]:hidden`}>
              Quantity
            </th>
            <th scope="col" className={`${HEAD} text-right`}>
              Price
            </th>
            <th scope="col" className={`${HEAD} @max-[40rem]:hidden`}>
              Timestamp
            </th>
            <th scope="col" className={`${HEAD} @max-[45rem]:hidden`}>
              Broker
            </th>
          </tr>
        </thead>
        <tbody>
          {trades.map((trade, index) => (
            <LedgerRow key={`${trade.symbol} ${trade.at}`} trade={trade} newest={index === 0} />
          ))}
        </tbody>
      </table>
      <div className="flex items-center gap-4 border-line-strong border-t-2 px-4 py-3.5 text-data @[40rem]:px-5">
        <p className="text-ink-2">
          <span className="@[40rem]:inline-block @[40rem]:w-25">Total</span>
          <span className="@max-[40rem]:hidden">8 trades, 4 of them closed</span>
        </p>
        <p className="ml-auto flex items-baseline gap-3 text-ink-2">
          Gross P&L
          <span className="double-rule text-gain">
            <Result value={grossResult(trades)} />
          </span>
        </p>
      </div>
    </section>
  );
}

function LedgerRow({ trade, newest }: { trade: (typeof EXAMPLE_LOG.trades)[number]; newest: boolean }) {
  const { side, symbol, quantity, price, at, broker } = trade;
  return (
    <tr
      className={`h-14 border-line border-b last:border-b-0 @[40rem]:h-10 ${newest ? "bg-brand-soft" : ""}`}
    >
      <td className="relative border-rule border-r px-3 @[40rem]:px-5">
        {newest && <span aria-hidden="true" className="absolute inset-y-0 left-0 w-1 bg-marigold" />}
        <SidePill side={side} />
      </td>
      <th
        scope="row"
        className="px-3 py-2 text-left font-semibold @max-[40rem]:wrap-anywhere @[40rem]:px-4 @[40rem]:py-0"
      >
        {symbol}
        <span className="block font-normal text-floor text-ink-3 @[40rem]:hidden">{at}</span>
      </th>
      <td className="figures px-4 text-right @max-[40rem]:hidden">{count(quantity)}</td>
      <td className="figures whitespace-nowrap px-3 text-right @[40rem]:px-4">
        <span className="text-ink-3">₹</span>
        {inrPaise(price).slice(1)}
        <span className="block text-floor text-ink-3 @[40rem]:hidden">Qty {count(quantity)}</span>
      </td>
      <td className="figures whitespace-nowrap px-4 @max-[40rem]:hidden">{at}</td>
      <td className="px-4 text-ink-2 @max-[45rem]:hidden">{broker}</td>
    </tr>
  );
}
