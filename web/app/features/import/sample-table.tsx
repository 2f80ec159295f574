import clsx from "clsx";
import { ArrowLeftRight, Equal, Plus } from "lucide-react";
import type { Preview } from "#features/import/preview.ts";
import { tradeName } from "#lib/contract.ts";
import { count, dateTime, inrPrice } from "#lib/format.ts";
import { useMedia } from "#lib/use-media.ts";
import { SidePill } from "#ui/side-pill.tsx";

type Row = Preview["sample"][number];
type Rows = { rows: readonly Row[] };
/** `fileName` tells the tables of several files apart. */
type SampleTableProps = Rows & { fileName: string };

const OUTCOMES = {
  added: { label: "New", Icon: Plus, ink: "text-brand" },
  duplicate: { label: "Already there", Icon: Equal, ink: "text-ink-3" },
  conflict: { label: "Conflict", Icon: ArrowLeftRight, ink: "text-warn" },
} as const;

const LABEL = "First trades of the file";

/** First trades of a file with the outcome of each, so that the trader can check that the file was read correctly. */
export function SampleTable({ rows, fileName }: SampleTableProps) {
  const wide = useMedia("(width >= 48rem)");
  return wide ? <Table rows={rows} fileName={fileName} /> : <Cards rows={rows} />;
}

const HEAD = "h-10 px-2 lg:px-3 font-medium text-floor text-ink-3 whitespace-nowrap";
const CELL = "h-10 whitespace-nowrap border-line border-t px-2 lg:px-3";

function Table({ rows, fileName }: SampleTableProps) {
  return (
    <section
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard
      tabIndex={0}
      aria-label={`First trades of ${fileName}`}
      className="relative overflow-x-auto border-line border-t"
    >
      <table aria-label={LABEL} className="w-full border-separate border-spacing-0 text-left text-data">
        <thead>
          <tr>
            <th scope="col" className={`${HEAD} w-20 border-rule lg:w-26 border-r text-right`}>
              Row
            </th>
            <th scope="col" className={HEAD}>
              Type
            </th>
            <th scope="col" className={HEAD}>
              Symbol
            </th>
            <th scope="col" className={`${HEAD} text-right`}>
              Quantity
            </th>
            <th scope="col" className={`${HEAD} text-right`}>
              Price
            </th>
            <th scope="col" className={HEAD}>
              Timestamp
            </th>
            <th scope="col" className={HEAD}>
              Status
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((trade, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes, and fills may be identical
            <tr key={index}>
              <td className={`${CELL} border-r border-r-rule`}>
                <RowMark trade={trade} />
              </td>
              <td className={CELL}>
                <SidePill side={trade.type} />
              </td>
              <td className={`${CELL} min-w-28 whitespace-normal! font-semibold`}>{tradeName(trade)}</td>
              <td className={`${CELL} figures text-right`}>{count(trade.quantity)}</td>
              <td className={`${CELL} figures text-right`}>{inrPrice(trade.price)}</td>
              <td className={`${CELL} figures`}>{dateTime(trade.timestamp, trade.timePrecision)}</td>
              <td className={`${CELL} text-ink-2`}>{OUTCOMES[trade.outcome].label}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Cards({ rows }: Rows) {
  return (
    <ul aria-label={LABEL} className="border-line border-t text-data">
      {rows.map((trade, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: as in the table
        <li key={index} className="flex border-line border-t first:border-t-0">
          <div className="w-20 shrink-0 border-rule border-r px-2.5 py-3">
            <RowMark trade={trade} />
          </div>
          <div className="min-w-0 flex-1 space-y-1 px-3 py-2.5">
            <p className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
              <SidePill side={trade.type} />
              <span className="min-w-0 break-words font-semibold text-ui">{tradeName(trade)}</span>
            </p>
            <p className="figures">
              {count(trade.quantity)} at {inrPrice(trade.price)}
            </p>
            <p className="figures text-floor text-ink-2">
              {dateTime(trade.timestamp, trade.timePrecision)} · {OUTCOMES[trade.outcome].label}
            </p>
          </div>
        </li>
      ))}
    </ul>
  );
}

function RowMark({ trade: { row, outcome } }: { trade: Row }) {
  const { Icon, ink } = OUTCOMES[outcome];
  return (
    <span className="flex items-center justify-between gap-2">
      <Icon size={16} strokeWidth={2.25} className={clsx("shrink-0", ink)} aria-hidden />
      <span className="figures">{row ?? "–"}</span>
    </span>
  );
}
