import { Download } from "lucide-react";
import { cellName, problemsFileName, type Rejected, rejectedCsv } from "#features/import/rejected-csv.ts";
import { reportSource, reportTitle, reportTone } from "#features/import/report-words.ts";
import type { ImportReport as Report } from "#features/import/send-import.ts";
import { downloadCsv } from "#lib/csv.ts";
import { count, plural } from "#lib/format.ts";
import { Banner } from "#ui/banner.tsx";
import { Button } from "#ui/button.tsx";

/** What an import did. It stays at the head of the log until it is dismissed. */
export function ImportReport({ report, onDismiss }: { report: Report; onDismiss: () => void }) {
  return (
    <section aria-label="Import report" className="mt-6">
      <Banner
        tone={reportTone(report)}
        title={reportTitle(report)}
        onDismiss={onDismiss}
        className={report.rejectedTotal > 0 ? "rounded-b-none!" : ""}
      >
        <p className="break-words">{reportSource(report)}</p>
      </Banner>
      {report.rejectedTotal > 0 && <LeftOut report={report} />}
    </section>
  );
}

function LeftOut({ report: { fileName, rejected, rejectedTotal } }: { report: Report }) {
  return (
    <details className="rounded-b-panel border border-line border-t-0 bg-surface">
      <summary className="px-5 py-3 font-semibold text-ui hover:text-brand">
        Show the {plural(rejectedTotal, "row that was", "rows that were")} left out
      </summary>
      <div className="flex flex-wrap items-center justify-between gap-3 px-5 pb-4">
        <p className="text-data text-ink-2">
          {rejected.length < rejectedTotal && `The first ${count(rejected.length)} are listed. `}
          Rows and cells as you see them in the file. Put them right there and upload it again: what is
          already in the log is not added twice.
        </p>
        <Button
          size="sm"
          variant="secondary"
          icon={<Download size={17} aria-hidden />}
          onClick={() => downloadCsv(problemsFileName(fileName), rejectedCsv(rejected))}
        >
          Download problems (CSV)
        </Button>
      </div>
      <RejectedTable rows={rejected} />
    </details>
  );
}

const CELL = "border-line border-t px-3 py-2.5 align-top";
const HEAD = "px-3 py-2.5 font-medium text-floor text-ink-3";

function RejectedTable({ rows }: { rows: readonly Rejected[] }) {
  const sheets = new Set(rows.map(({ sheet }) => sheet)).size > 1;
  return (
    <section
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls has to be reached by keys
      tabIndex={0}
      aria-label="Rows that were left out"
      className="max-h-96 overflow-auto rounded-b-panel border-line border-t"
    >
      <table className="w-full min-w-[32rem] border-separate border-spacing-0 text-left text-data">
        <thead>
          <tr>
            <th scope="col" className={`${HEAD} w-26 border-rule border-r pl-5`}>
              Row
            </th>
            {sheets && (
              <th scope="col" className={HEAD}>
                Sheet
              </th>
            )}
            <th scope="col" className={HEAD}>
              Cell
            </th>
            <th scope="col" className={HEAD}>
              Value
            </th>
            <th scope="col" className={HEAD}>
              What is wrong
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a list that never changes; a row may be at fault twice
            <tr key={index}>
              <td className={`${CELL} figures border-r border-r-rule pl-5`}>{row.row}</td>
              {sheets && <td className={CELL}>{row.sheet}</td>}
              <td className={`${CELL} font-semibold`}>{cellName(row) || "Whole row"}</td>
              <td className={`${CELL} max-w-60 break-words text-loss`}>{row.value}</td>
              <td className={CELL}>{row.message}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
