import type { ReactNode } from "react";
import { type Book, bookName } from "#content/books.ts";
import { entryType, type ManualEntry, manualEntries, resultOf } from "#features/entry/manual-entries.ts";
import type { Schemas } from "#lib/api.ts";
import { count, inrPaise } from "#lib/format.ts";
import { Button } from "#ui/button.tsx";
import { Result } from "#ui/money.tsx";
import { SidePill } from "#ui/side-pill.tsx";
import { TableSkeleton } from "#ui/skeleton.tsx";

type More = { pending: boolean; onMore: () => void };

export type ManualTableProps = {
  book: Book;
  /** Those of the book that were written down by hand, newest first; undefined while they are on the way. */
  trades: readonly Schemas["Trade"][] | undefined;
  /** There are older ones. */
  more: More | false;
  /** Stands there instead when they did not come; the next entry can be written all the same. */
  failure: ReactNode;
  /** The form that adds a line. */
  children: ReactNode;
};

/** What was written down by hand in a book, a line for each entry, and the form for the next one. */
export function ManualTable({ book, trades, more, failure, children }: ManualTableProps) {
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
/** On a phone these stand under the symbol and the result. */
const WIDE = "max-sm:hidden";
const CELL = "h-10 whitespace-nowrap border-line border-t px-3";

type EntriesProps = { entries: readonly ManualEntry[]; more: More | false; book: Book };

function Entries({ entries, more, book }: EntriesProps) {
  if (entries.length === 0) {
    return (
      <p className="border-rule border-l py-1 pl-4 text-ink-2 text-ui">
        No entries by hand in this book yet.
      </p>
    );
  }
  return (
    <section
      aria-label="Entries"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls has to be reached by keys
      tabIndex={0}
      className="relative max-h-96 max-w-4xl overflow-auto rounded-panel border border-line bg-surface"
    >
      <table className="w-full border-separate border-spacing-0 text-left text-data">
        <caption className="sr-only">{`Entries by hand in ${bookName(book)}, newest first`}</caption>
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
            <Line key={entry.pairId} entry={entry} />
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

function Line({ entry }: { entry: ManualEntry }) {
  const { buy, sell } = entry;
  const either = buy ?? sell;
  const result = resultOf(entry);
  return (
    <tr>
      <td className={`${CELL} border-r border-r-rule pl-5 max-sm:pl-3`}>
        <SidePill side={entryType(entry)} />
      </td>
      <td className={`${CELL} font-semibold max-sm:py-2`}>
        <span className="max-sm:whitespace-normal max-sm:[overflow-wrap:anywhere]">{either?.symbol}</span>
        <Under>
          {figure(buy?.price)} → {figure(sell?.price)}
        </Under>
      </td>
      <td className={`${CELL} ${WIDE} figures text-right`}>{either && count(either.quantity)}</td>
      <td className={`${CELL} ${WIDE} figures text-right`}>{figure(buy?.price)}</td>
      <td className={`${CELL} ${WIDE} figures text-right`}>{figure(sell?.price)}</td>
      <td className={`${CELL} pr-5 text-right max-sm:pr-3`}>
        {result === undefined ? "–" : <Result value={result} />}
        <Under>{either && `Qty ${count(either.quantity)}`}</Under>
      </td>
    </tr>
  );
}

/** The second line of a cell, on a phone. */
function Under({ children }: { children: ReactNode }) {
  return <span className="figures block font-normal text-floor text-ink-2 sm:hidden">{children}</span>;
}

function figure(price: number | undefined): string {
  return price === undefined ? "–" : inrPaise(price);
}
