import clsx from "clsx";
import { memo } from "react";
import { Price, TradeLink } from "#features/trades/trade-cells.tsx";
import type { Trade } from "#features/trades/trade-pages.ts";
import { useAccountName } from "#lib/broker-accounts.ts";
import { count, dateTime } from "#lib/format.ts";
import { SidePill } from "#ui/side-pill.tsx";

export type TradeRowProps = {
  row: number;
  /** Undefined while loading. */
  trade: Trade | undefined;
  marked: boolean;
};

const CELL = "h-10 border-line border-b px-2 py-0 lg:px-3 whitespace-nowrap";
const FIRST = "h-10 border-line border-r border-r-rule border-b py-0 pl-5 pr-3";

export const TradeRow = memo(function TradeRow({ row, trade, marked }: TradeRowProps) {
  return (
    <tr
      aria-rowindex={row + 2}
      aria-current={marked || undefined}
      className={clsx(
        trade && "cursor-pointer hover:bg-sunken",
        "[&:last-child>td]:border-b-0",
        marked && "bg-brand-soft outline-2 outline-focus -outline-offset-2",
      )}
    >
      {trade ? <Cells trade={trade} /> : <PlaceholderCells />}
    </tr>
  );
});

function Cells({ trade }: { trade: Trade }) {
  const accountName = useAccountName();
  return (
    <>
      <td className={FIRST}>
        <SidePill side={trade.type} />
      </td>
      <td className={clsx(CELL, "font-semibold")}>
        <TradeLink trade={trade} tabIndex={-1} className="flex items-center gap-2 hover:underline" />
      </td>
      <td className={clsx(CELL, "figures text-right")}>{count(trade.quantity)}</td>
      <td className={clsx(CELL, "text-right")}>
        <Price value={trade.price} />
      </td>
      <td className={clsx(CELL, "figures")}>{dateTime(trade.timestamp, trade.timePrecision)}</td>
      <td className={clsx(CELL, "max-w-40 truncate text-ink-2")}>{accountName(trade)}</td>
    </>
  );
}

const WIDTHS = ["w-28", "w-10 ml-auto", "w-16 ml-auto", "w-36", "w-14"];

/** Placeholder of a row that is loading. */
function PlaceholderCells() {
  return (
    <>
      <td className={FIRST}>
        <span className="sr-only">Loading</span>
        <div aria-hidden="true" className="h-2.5 w-12 rounded-tag bg-line" />
      </td>
      {WIDTHS.map((width) => (
        <td key={width} className={CELL}>
          <div aria-hidden="true" className={`h-2.5 max-w-full rounded-tag bg-line ${width}`} />
        </td>
      ))}
    </>
  );
}
