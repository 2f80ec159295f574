import type { ReactNode } from "react";
import {
  entryType,
  type ManualEntry,
  manualEntries,
  manualEntryResult,
} from "#features/entry/manual-entries.ts";
import type { Schemas } from "#lib/api.ts";
import { type Book, bookName } from "#lib/books.ts";
import { tradeName } from "#lib/contract.ts";
import { count, inrPaise } from "#lib/format.ts";
import { Button } from "#ui/button.tsx";
import { Result } from "#ui/money.tsx";
import { SidePill } from "#ui/side-pill.tsx";
import { TableSkeleton } from "#ui/skeleton.tsx";

type More = { pending: boolean; onMore: () => void };

export type ManualEntryTableProps = {
  book: Book;
  /** Manual entries of the book, newest first; undefined while loading. */
  trades: readonly Schemas["Trade"][] | undefined;
  /** Loads older entries; false if there are none. */
  more: More | false;
  /** Shown instead of the entries if they could not be loaded. */
  failure: ReactNode;
  /** Form for the next entry. */
  children: ReactNode;
};

/** Table of the manual entries of a book, with the form for the next one. */
export function ManualEntryTable({ book, trades, more, failure, children }: ManualEntryTableProps) {
  const entries = trades && manualEntries(trades);
  return (
    <section aria-label={`Manual entry, ${bookName(book)}`}>
      <h2 className="text-h3">{bookName(book)}</h2>
      <div className="mt-4">
        {entries ? (
          <Entries entries={entries} more={more} book={book} />
        ) : (
          failure || <TableSkeleton label="Loading entries" />
        )}
      </div>
      {children}
    </section>
  );
}

const HEAD = "h-10 px-3 font-medium text-floor text-ink-3";
/** Columns that a phone does not show; their values are below the symbol and the result. */
const WIDE = "max-sm:hidden";
const CELL = "h-10 whitespace-nowrap border-line border-t px-3";

type EntriesProps = { entries: readonly ManualEntry[]; more: More | false; book: Book };

function Entries({ entries, more, book }: EntriesProps) {
  if (entries.length === 0) {
    return <p className="border-rule border-l py-1 pl-4 text-ink-2 text-ui">No manual entries yet.</p>;
  }
  return (
    <section
      aria-label="Entries"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard
      tabIndex={0}
      className="relative max-h-96 max-w-4xl overflow-auto rounded-panel border border-line bg-surface"
    >
      <table className="w-full border-separate border-spacing-0 text-left text-data">
        <caption className="sr-only">{`Manual entries in ${bookName(book)}, newest first`}</caption>
        <thead>
          <tr>
            <th scope="col" className={`${HEAD} w-26 border-rule border-r pl-5 max-sm:w-20 max-sm:pl-3`}>
              Type
            </th>
            <th scope="col" className={HEAD}>
              Symbol
            </th>
            <th scope="col" className={`${HEAD} ${WIDE} text-right`}>
              Quantity
            </th>
            <th scope="col" className={`${HEAD} ${WIDE} text-right`}>
              Buy price
            </th>
            <th scope="col" className={`${HEAD} ${WIDE} text-right`}>
              Sell price
            </th>
            <th scope="col" className={`${HEAD} pr-5 text-right max-sm:pr-3`}>
              Profit or loss
            </th>
          </tr>
        </thead>
        <tbody>
          {entries.map((entry) => (
            <EntryRow key={entry.pairId} entry={entry} />
          ))}
        </tbody>
      </table>
      {more && (
        <div className="border-line border-t p-3">
          <Button variant="secondary" size="sm" pending={more.pending} onClick={more.onMore}>
            Show older entries
          </Button>
        </div>
      )}
    </section>
  );
}

function EntryRow({ entry }: { entry: ManualEntry }) {
  const { buy, sell } = entry;
  const either = buy ?? sell;
  const result = manualEntryResult(entry);
  return (
    <tr>
      <td className={`${CELL} border-r border-r-rule pl-5 max-sm:pl-3`}>
        <SidePill side={entryType(entry)} />
      </td>
      <td className={`${CELL} font-semibold max-sm:py-2`}>
        <span className="max-sm:whitespace-normal max-sm:[overflow-wrap:anywhere]">
          {either && tradeName(either)}
        </span>
        <SecondLine>
          {priceText(buy?.price)} → {priceText(sell?.price)}
        </SecondLine>
      </td>
      <td className={`${CELL} ${WIDE} figures text-right`}>{either && count(either.quantity)}</td>
      <td className={`${CELL} ${WIDE} figures text-right`}>{priceText(buy?.price)}</td>
      <td className={`${CELL} ${WIDE} figures text-right`}>{priceText(sell?.price)}</td>
      <td className={`${CELL} pr-5 text-right max-sm:pr-3`}>
        {result === undefined ? "–" : <Result value={result} />}
        <SecondLine>{either && `Qty ${count(either.quantity)}`}</SecondLine>
      </td>
    </tr>
  );
}

/** Second line of a cell, on a phone only. */
function SecondLine({ children }: { children: ReactNode }) {
  return <span className="figures block font-normal text-floor text-ink-2 sm:hidden">{children}</span>;
}

function priceText(price: number | undefined): string {
  return price === undefined ? "–" : inrPaise(price);
}
