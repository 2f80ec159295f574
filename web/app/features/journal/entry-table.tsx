import clsx from "clsx";
import { memo } from "react";
import type { Entry, EntryList } from "#features/journal/entries.ts";
import { type EntryType, entryTypeLabel } from "#features/journal/entry-types.ts";
import { TotalResult, totalsText } from "#features/journal/totals.tsx";
import { WinLoss } from "#features/journal/win-loss.tsx";
import { dateTime, inrPrice, units } from "#lib/format.ts";
import { Result } from "#ui/money.tsx";

export type EntriesProps = { list: EntryList; type: EntryType; newest: string | undefined };

const HEAD_CELL = "h-10 px-3 font-medium text-floor text-ink-3";
const CELL = "h-14 whitespace-nowrap border-line border-t px-3";
const FIGURE_CELL = `${CELL} figures text-right`;
const FIGURE_HEADINGS = ["Quantity", "Bought", "Sold", "Target price", "Stop loss"];

/** The entries as a table, for wide screens. */
export function EntryTable({ list, type, newest }: EntriesProps) {
  const title = `${entryTypeLabel(type)} trades, newest first`;
  return (
    <section
      aria-label={title}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the table may scroll sideways and must be reachable by keyboard
      tabIndex={0}
      className="relative overflow-x-auto rounded-panel border border-line bg-surface"
    >
      <table className="w-full text-left text-data">
        <caption className="sr-only">{title}</caption>
        <thead>
          <tr>
            <th scope="col" className={`${HEAD_CELL} w-26 border-rule border-r pl-5`}>
              Result
            </th>
            <th scope="col" className={HEAD_CELL}>
              Symbol
            </th>
            {FIGURE_HEADINGS.map((label) => (
              <th key={label} scope="col" className={`${HEAD_CELL} text-right`}>
                {label}
              </th>
            ))}
            <th scope="col" className={`${HEAD_CELL} pr-5 text-right`}>
              P&L
            </th>
          </tr>
        </thead>
        <tbody>
          {list.entries.map((entry) => (
            <Row key={entry.id} entry={entry} newest={entry.id === newest} />
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th
              scope="row"
              className="h-12 border-line-strong border-t-2 border-r border-r-rule pl-5 text-left font-normal text-ink-2"
            >
              Total
            </th>
            <td colSpan={6} className="border-line-strong border-t-2 px-3 text-ink-2">
              {totalsText(list)}
            </td>
            <td className="border-line-strong border-t-2 pr-5 pl-2 text-right">
              <TotalResult pnl={list.pnl} />
            </td>
          </tr>
        </tfoot>
      </table>
    </section>
  );
}

const Row = memo(function Row({ entry, newest }: { entry: Entry; newest: boolean }) {
  return (
    <tr className={clsx(newest && "bg-brand-soft")}>
      <td className={`${CELL} relative border-r border-r-rule pl-5`}>
        {newest && <span aria-hidden="true" className="absolute inset-y-0 left-0 w-1 bg-marigold" />}
        <WinLoss status={entry.status} />
      </td>
      <th scope="row" className={`${CELL} max-w-60 truncate font-semibold`}>
        {entry.symbol}
      </th>
      <td className={FIGURE_CELL}>{units(entry.quantity)}</td>
      <PriceCell price={entry.buyPrice} at={entry.buyDateTime} />
      <PriceCell price={entry.sellPrice} at={entry.sellDateTime} />
      <td className={`${FIGURE_CELL} text-ink-2`}>{inrPrice(entry.targetPrice)}</td>
      <td className={`${FIGURE_CELL} text-ink-2`}>{inrPrice(entry.stopLoss)}</td>
      <td className={`${CELL} pr-5 text-right`}>
        <Result value={entry.pnl} />
      </td>
    </tr>
  );
});

function PriceCell({ price, at }: { price: number; at: string }) {
  return (
    <td className={FIGURE_CELL}>
      {inrPrice(price)}
      <span className="block text-floor text-ink-2">{dateTime(at)}</span>
    </td>
  );
}
