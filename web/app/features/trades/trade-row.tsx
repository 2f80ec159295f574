import clsx from "clsx";
import { memo } from "react";
import { isHidden, type OptionalColumn } from "#features/trades/log-columns.ts";
import { Excerpt, Price, TradeLink } from "#features/trades/trade-cells.tsx";
import type { Trade } from "#features/trades/trade-pages.ts";
import { TradeResultText } from "#features/trades/trade-result.tsx";
import type { TradeResult } from "#features/trades/use-trade-results.ts";
import { useAccountName } from "#lib/broker-accounts.ts";
import { count, dateTime } from "#lib/format.ts";
import { SidePill } from "#ui/side-pill.tsx";

export type TradeRowProps = {
  row: number;
  /** Undefined while loading. */
  trade: Trade | undefined;
  marked: boolean;
  /** The row has space for a second line. */
  tall: boolean;
  hidden: ReadonlySet<OptionalColumn>;
  result: TradeResult | null | undefined;
  /** Text of the notes in which the search was found. */
  excerpt: string | undefined;
};

const CELL = "h-8 border-line border-b px-2 py-0 lg:px-3 whitespace-nowrap";
const FIRST = "border-line border-r border-r-rule border-b py-0 pl-5 pr-3";

export const TradeRow = memo(function TradeRow({
  row,
  trade,
  marked,
  tall,
  hidden,
  result,
  excerpt,
}: TradeRowProps) {
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
      {trade ? (
        <Cells trade={trade} tall={tall} hidden={hidden} result={result} excerpt={excerpt} />
      ) : (
        <PlaceholderCells tall={tall} hidden={hidden} />
      )}
    </tr>
  );
});

type CellsProps = Pick<TradeRowProps, "tall" | "hidden" | "result" | "excerpt"> & { trade: Trade };

function Cells({ trade, tall, hidden, result, excerpt }: CellsProps) {
  const accountName = useAccountName();
  return (
    <>
      <td className={clsx(FIRST, tall ? "h-13" : "h-8")}>
        <SidePill side={trade.type} />
      </td>
      <td className={clsx(CELL, "font-semibold")}>
        <TradeLink trade={trade} tabIndex={-1} className="flex items-center gap-2 hover:underline" />
        {excerpt && <Excerpt text={excerpt} className="mt-0.5 text-floor leading-tight" />}
      </td>
      {!hidden.has("quantity") && (
        <td className={clsx(CELL, "figures text-right")}>{count(trade.quantity)}</td>
      )}
      {!hidden.has("price") && (
        <td className={clsx(CELL, "text-right")}>
          <Price value={trade.price} />
        </td>
      )}
      {!hidden.has("timestamp") && (
        <td className={clsx(CELL, "figures")}>{dateTime(trade.timestamp, trade.timePrecision)}</td>
      )}
      {!hidden.has("broker") && (
        <td className={clsx(CELL, "max-w-40 truncate text-ink-2")}>{accountName(trade)}</td>
      )}
      {!hidden.has("result") && (
        <td className={clsx(CELL, "text-right")}>
          <TradeResultText result={result} />
        </td>
      )}
    </>
  );
}

const PLACEHOLDERS = [
  { column: "symbol", width: "w-28" },
  { column: "quantity", width: "w-10 ml-auto" },
  { column: "price", width: "w-16 ml-auto" },
  { column: "timestamp", width: "w-36" },
  { column: "broker", width: "w-14" },
  { column: "result", width: "w-16 ml-auto" },
] as const;

/** Placeholder of a row that is loading. */
function PlaceholderCells({ tall, hidden }: Pick<TradeRowProps, "tall" | "hidden">) {
  return (
    <>
      <td className={clsx(FIRST, tall ? "h-13" : "h-8")}>
        <span className="sr-only">Loading</span>
        <div aria-hidden="true" className="h-2.5 w-12 rounded-tag bg-line" />
      </td>
      {PLACEHOLDERS.filter(({ column }) => !isHidden(hidden, column)).map(({ width }) => (
        <td key={width} className={CELL}>
          <div aria-hidden="true" className={`h-2.5 max-w-full rounded-tag bg-line ${width}`} />
        </td>
      ))}
    </>
  );
}
