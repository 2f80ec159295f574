import { ChevronDown } from "lucide-react";
import { useState } from "react";
import { Link } from "react-router";
import type { ClosedTrade } from "#features/analytics/analytics-api.ts";
import { duration } from "#features/analytics/analytics-format.ts";
import { ClosedTradeCharges } from "#features/analytics/charges/closed-trade-charges.tsx";
import { SEGMENTS, SIDES } from "#features/analytics/filters/groupings.ts";
import { useViewer } from "#features/analytics/viewer.ts";
import { brokerAccountName } from "#lib/books.ts";
import { tradeName } from "#lib/contract.ts";
import { count, date, inrPaise, inrPrice, time } from "#lib/format.ts";
import { multiple } from "#lib/ratio-format.ts";
import { Result } from "#ui/money.tsx";

const FLAGS: Readonly<Record<ClosedTrade["flags"][number], string>> = {
  settled: "Settled at the price you entered",
  split: "Split",
  bonus: "Bonus",
  renamed: "Symbol changed",
  opening: "Buy price entered by you",
  ratesMissing: "Some charges missing",
  merged: "Merger",
  demerged: "Demerger",
  rights: "Rights issue",
  boughtBack: "Buyback",
  capitalReturned: "Capital return",
  fractionPaid: "Payment for a fraction of a share",
  contractAdjusted: "Contract adjusted",
  openIssue: "Open data issue",
};

/** Closed trade in the list: exit date, symbol, prices, charges and result. Expands to its trades and charges. */
export function ClosedTradeEntry({ closedTrade }: { closedTrade: ClosedTrade }) {
  const [open, setOpen] = useState(false);
  return (
    <li className="@container border-line not-last:border-b">
      <details onToggle={(event) => setOpen(event.currentTarget.open)} className="group">
        <summary className="flex min-h-13 cursor-pointer list-none items-stretch -outline-offset-2 hover:bg-sunken [&::-webkit-details-marker]:hidden">
          <span className="figures flex w-17 shrink-0 items-center border-rule border-r pl-4 text-floor text-ink-2 sm:w-29 sm:pl-6">
            {date(closedTrade.closedAt).replace(" ", "\u00a0")}
          </span>
          <span className="grid min-w-0 flex-1 grid-cols-1 items-center gap-x-4 px-3 py-2 text-data sm:px-4 @min-[26rem]:grid-cols-[minmax(0,1fr)_auto] @min-[52rem]:grid-cols-[minmax(0,1.3fr)_minmax(0,1.5fr)_9rem_9rem]">
            <span className="wrap-anywhere font-semibold text-ui @min-[26rem]:col-span-2 @min-[52rem]:col-span-1">
              {tradeName(closedTrade)}
            </span>
            <span className="text-floor text-ink-2 @min-[52rem]:col-start-1 @min-[52rem]:row-start-2">
              {description(closedTrade)}
            </span>
            <span className="figures text-floor text-ink-2 @min-[26rem]:col-span-2 @min-[26rem]:row-start-3 @min-[52rem]:col-span-1 @min-[52rem]:col-start-2 @min-[52rem]:row-span-2 @min-[52rem]:row-start-1 @min-[52rem]:text-data">
              {`${count(closedTrade.quantity)}: ${inrPrice(closedTrade.entryPrice)} to ${inrPrice(closedTrade.exitPrice)}`}
            </span>
            <span className="figures hidden text-right text-floor text-ink-3 @min-[52rem]:col-start-3 @min-[52rem]:row-span-2 @min-[52rem]:row-start-1 @min-[52rem]:block">
              {`${inrPaise(closedTrade.charges)} charges`}
            </span>
            <span className="text-right @min-[26rem]:col-start-2 @min-[26rem]:row-start-2 @min-[52rem]:col-start-4 @min-[52rem]:row-span-2 @min-[52rem]:row-start-1">
              <Result value={closedTrade.net} />
            </span>
          </span>
          <span className="flex items-center pr-2.5 text-ink-3 sm:pr-4">
            <ChevronDown
              size={16}
              aria-hidden
              className="transition-transform duration-120 ease-out group-open:rotate-180"
            />
          </span>
        </summary>
        {open && <ClosedTradeDetail closedTrade={closedTrade} />}
      </details>
    </li>
  );
}

/** Returns side, segment and flags: "Long · Intraday · Split". */
function description(closedTrade: ClosedTrade): string {
  const side = SIDES.find(({ value }) => value === closedTrade.side)?.label;
  const segment = SEGMENTS.find(({ value }) => value === closedTrade.segment)?.label;
  return [side, segment, ...closedTrade.flags.map((flag) => FLAGS[flag])].filter(Boolean).join(" · ");
}

function ClosedTradeDetail({ closedTrade }: { closedTrade: ClosedTrade }) {
  const timed = closedTrade.timePrecision !== "day";
  const at = (iso: string) => (timed ? `${date(iso)}, ${time(iso)}` : date(iso));
  const { holdingSeconds } = closedTrade;
  const holdingText = holdingSeconds === null ? "" : `, holding time ${duration(holdingSeconds)}`;
  return (
    <div className="grid grid-cols-1 gap-5 border-line border-t bg-sunken px-4 py-4 text-data sm:px-6 md:grid-cols-2">
      <div>
        <p className="text-ink-2">
          {`${brokerAccountName(closedTrade)}. Opened ${at(closedTrade.openedAt)}, closed ${at(closedTrade.closedAt)}${holdingText}.`}
        </p>
        <Legs title="Entry trades" legs={closedTrade.openingLegs} />
        <Legs title="Exit trades" legs={closedTrade.closingLegs} />
        {closedTrade.initialRisk !== undefined && closedTrade.r !== undefined && (
          <p className="figures mt-3 text-ink-2">
            {`${inrPaise(closedTrade.initialRisk)} at risk: ${multiple(closedTrade.r)}`}
          </p>
        )}
        {(closedTrade.setup || closedTrade.psychology) && (
          <p className="mt-3 text-ink-2">
            {[closedTrade.setup, closedTrade.psychology].filter(Boolean).join(" · ")}
          </p>
        )}
      </div>
      <ClosedTradeCharges closedTrade={closedTrade} />
    </div>
  );
}

function Legs({ title, legs }: { title: string; legs: ClosedTrade["openingLegs"] }) {
  const { isOwner } = useViewer();
  return (
    <>
      <h3 className="mt-3 font-sans font-semibold text-floor text-ink-2 tracking-normal">{title}</h3>
      <ul className="figures">
        {legs.map(({ tradeId, date: on, quantity, value }, index) => {
          const text = `${date(on)}: ${count(quantity)} for ${inrPaise(value)}`;
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: opening holdings have no id, and the list never changes
            <li key={`${tradeId} ${index}`} className="py-1">
              {tradeId && isOwner ? (
                <Link to={`/dashboard?panel=1&trade=${tradeId}`} className="link">
                  {text}
                </Link>
              ) : (
                text
              )}
            </li>
          );
        })}
      </ul>
    </>
  );
}
