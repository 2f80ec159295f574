import { Download } from "lucide-react";
import { problemsFileName, rejectedCsv } from "#features/import/rejected-csv.ts";
import { RejectedTable } from "#features/import/rejected-table.tsx";
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
