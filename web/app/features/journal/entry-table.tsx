import clsx from "clsx";
import { memo } from "react";
import type { Entry, EntryList } from "#features/journal/entries.ts";
import { type Kind, kindLabel } from "#features/journal/kinds.ts";
import { TotalResult, totalWords } from "#features/journal/totals.tsx";
import { Verdict } from "#features/journal/verdict.tsx";
import { dateTime, inrPrice, units } from "#lib/format.ts";
import { Result } from "#ui/money.tsx";

export type EntriesProps = { list: EntryList; kind: Kind; newest: string | undefined };

const HEAD = "h-10 px-3 font-medium text-floor text-ink-3";
const CELL = "h-14 whitespace-nowrap border-line border-t px-3";
const FIGURE = `${CELL} figures text-right`;
const FIGURES = ["Quantity", "Bought", "Sold", "Target price", "Stop loss"];

/** The ledger on a wide screen: a line for each trade, its prices over their times. */
export function EntryTable({ list, kind, newest }: EntriesProps) {
  const title = `${kindLabel(kind)} trades, newest first`;
  return (
    <section
      aria-label={title}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: long figures may make it scroll, and keys must reach it then
      tabIndex={0}
      className="relative overflow-x-auto rounded-panel border border-line bg-surface"
    >
      <table className="w-full text-left text-data">
        <caption className="sr-only">{title}</caption>
        <thead>
          <tr>
            <th scope="col" className={`${HEAD} w-26 border-rule border-r pl-5`}>
              Result
            </th>
            <th scope="col" className={HEAD}>
              Symbol
            </th>
            {FIGURES.map((label) => (
              <th key={label} scope="col" className={`${HEAD} text-right`}>
                {label}
              </th>
            ))}
            <th scope="col" className={`${HEAD} pr-5 text-right`}>
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
              {totalWords(list)}
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
        <Verdict status={entry.status} />
      </td>
      <th scope="row" className={`${CELL} max-w-60 truncate font-semibold`}>
        {entry.symbol}
      </th>
      <td className={FIGURE}>{units(entry.quantity)}</td>
      <Leg price={entry.buyPrice} at={entry.buyDateTime} />
      <Leg price={entry.sellPrice} at={entry.sellDateTime} />
      <td className={`${FIGURE} text-ink-2`}>{inrPrice(entry.targetPrice)}</td>
      <td className={`${FIGURE} text-ink-2`}>{inrPrice(entry.stopLoss)}</td>
      <td className={`${CELL} pr-5 text-right`}>
        <Result value={entry.pnl} />
      </td>
    </tr>
  );
});

function Leg({ price, at }: { price: number; at: string }) {
  return (
    <td className={FIGURE}>
      {inrPrice(price)}
      <span className="block text-floor text-ink-2">{dateTime(at)}</span>
    </td>
  );
}
