import type { ReactNode } from "react";
import type { FileReport } from "#features/inspect/inspect-file.ts";
import { bookName } from "#lib/books.ts";
import { tradeName } from "#lib/contract.ts";
import { count, dateTime, inrPaise, plural } from "#lib/format.ts";
import { period } from "#lib/period.ts";
import { SidePill } from "#ui/side-pill.tsx";

export type InspectReportProps = {
  report: FileReport;
  /** Table of the skipped rows and the warnings. */
  issues: ReactNode;
};

/** Report about an uploaded file: format, counts, first trades and issues. */
export function InspectReport({ report, issues }: InspectReportProps) {
  const { rejectedTotal, warningTotal, sample, trades } = report;
  return (
    <section aria-label="File contents" className="mt-10">
      <p role="status" className="sr-only">
        {`${plural(trades, "trade")} found, ${plural(rejectedTotal, "row")} skipped`}
      </p>
      <Facts report={report} />
      {sample.length > 0 && (
        <>
          <h2 className="mt-9 text-h4">
            {sample.length < trades ? `The first ${count(sample.length)} trades` : "The trades"}
          </h2>
          <SampleTable sample={sample} />
        </>
      )}
      {rejectedTotal + warningTotal > 0 && (
        <>
          <h2 className="mt-9 text-h4">Rows to check</h2>
          <p className="mt-1 text-data text-ink-2">{issuesText(report)}</p>
          <div className="mt-3 overflow-hidden rounded-panel border border-line bg-surface">{issues}</div>
        </>
      )}
    </section>
  );
}

/** Returns "2 rows are not trades, 1,340 warnings. Only the first 1,000 are listed." */
function issuesText({ rejected, rejectedTotal, warnings, warningTotal }: FileReport): string {
  const listed = rejected.length + warnings.length;
  const parts = [
    rejectedTotal > 0 && plural(rejectedTotal, "row is not a trade", "rows are not trades"),
    warningTotal > 0 && plural(warningTotal, "warning"),
  ].filter((part) => part !== false);
  const limit = listed < rejectedTotal + warningTotal ? ` Only the first ${count(listed)} are listed.` : "";
  return `${parts.join(", ")}.${limit}`;
}

function Facts({ report }: { report: FileReport }) {
  const facts = [
    { term: "Format", value: report.formatTitle },
    { term: "Broker and trade type", value: bookName(report) },
    { term: "Period", value: period(report.from, report.to) || "None" },
    { term: "Rows", value: count(report.rows) },
    { term: "Trades", value: count(report.trades) },
    { term: "Skipped", value: count(report.rejectedTotal) },
  ];
  return (
    <dl className="grid grid-cols-2 gap-px overflow-hidden rounded-panel border border-line bg-line sm:grid-cols-3">
      {facts.map(({ term, value }) => (
        <div key={term} className="bg-surface px-4 py-3 sm:px-5">
          <dt className="text-data text-ink-3">{term}</dt>
          <dd className="figures break-words font-semibold text-ui">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

const HEAD = "h-10 px-3 font-medium text-floor text-ink-3 whitespace-nowrap";
const CELL = "h-10 whitespace-nowrap border-line border-t px-3";

function SampleTable({ sample }: { sample: FileReport["sample"] }) {
  return (
    <section
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard
      tabIndex={0}
      aria-label="Trades in the file"
      className="relative mt-3 overflow-x-auto rounded-panel border border-line bg-surface"
    >
      <table className="w-full border-separate border-spacing-0 text-left text-data">
        <thead>
          <tr>
            <th scope="col" className={`${HEAD} w-26 border-rule border-r pl-5`}>
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
            <th scope="col" className={`${HEAD} pr-5`}>
              Exchange
            </th>
          </tr>
        </thead>
        <tbody>
          {sample.map((trade, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes, and fills may be identical
            <tr key={index}>
              <td className={`${CELL} border-r border-r-rule pl-5`}>
                <SidePill side={trade.type} />
              </td>
              <td className={`${CELL} font-semibold`}>{tradeName(trade)}</td>
              <td className={`${CELL} figures text-right`}>{count(trade.quantity)}</td>
              <td className={`${CELL} figures text-right`}>{inrPaise(trade.price)}</td>
              <td className={`${CELL} figures`}>{dateTime(trade.timestamp, trade.timePrecision)}</td>
              <td className={`${CELL} pr-5 text-ink-2`}>{trade.exchange}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
