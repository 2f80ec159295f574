import { Download } from "lucide-react";
import { findingsCsv, findingsOf, problemsFileName } from "#features/import/findings.ts";
import { FindingsTable } from "#features/import/findings-table.tsx";
import type { Report } from "#features/import/preview.ts";
import { reportSource, reportTone, totalOf } from "#features/import/report-words.ts";
import { downloadCsv } from "#lib/csv.ts";
import { count, plural } from "#lib/format.ts";
import { importTitle } from "#lib/import-title.ts";
import { Banner } from "#ui/banner.tsx";
import { Button } from "#ui/button.tsx";

/** What an import did. It stays at the head of the log until it is dismissed. */
export function ImportReport({ reports, onDismiss }: { reports: readonly Report[]; onDismiss: () => void }) {
  const total = totalOf(reports);
  const worth = reports.filter(({ rejectedTotal, warningTotal }) => rejectedTotal + warningTotal > 0);
  return (
    <section aria-label="Import report" className="mt-6">
      <Banner
        tone={reportTone(total)}
        title={importTitle(total)}
        onDismiss={onDismiss}
        className={worth.length > 0 ? "rounded-b-none!" : ""}
      >
        {reports.map((report) => (
          <p key={report.id} className="break-words">
            {reportSource(report)}
            {reports.length > 1 && `: ${importTitle(report)}`}
          </p>
        ))}
      </Banner>
      {worth.map((report) => (
        <ToLookAt key={report.id} report={report} named={reports.length > 1} />
      ))}
    </section>
  );
}

function ToLookAt({ report, named }: { report: Report; named: boolean }) {
  const { fileName, rejected, rejectedTotal, warnings, warningTotal } = report;
  const listed = rejected.length + warnings.length;
  return (
    <details className="border border-line border-t-0 bg-surface last:rounded-b-panel">
      <summary className="px-5 py-3 font-semibold text-ui hover:text-brand">
        {named && `${fileName}: `}
        {summary(report)}
      </summary>
      <div className="flex flex-wrap items-center justify-between gap-3 px-5 pb-4">
        <p className="min-w-0 flex-1 basis-72 text-data text-ink-2">
          {listed < rejectedTotal + warningTotal && `The first ${count(listed)} are listed. `}
          {rejectedTotal > 0
            ? "Rows and cells as you see them in the file. Put right there what was left out, and upload it again: what is already in the log is not added twice."
            : "All of it is in the log as the file has it. These trades may be worth a look."}
        </p>
        <Button
          size="sm"
          variant="secondary"
          icon={<Download size={17} aria-hidden />}
          onClick={() => downloadCsv(problemsFileName(fileName), findingsCsv(findingsOf(report)))}
        >
          Download problems (CSV)
        </Button>
      </div>
      <section
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls has to be reached by keys
        tabIndex={0}
        aria-label={`What to look at in ${fileName}`}
        className="relative max-h-96 overflow-auto rounded-b-panel border-line border-t"
      >
        <FindingsTable label={`Rows of ${fileName}`} findings={findingsOf(report)} />
      </section>
    </details>
  );
}

/** "Show the 2 rows that were left out, and 5 warnings" */
function summary({ rejectedTotal, warningTotal }: Report): string {
  const parts = [
    rejectedTotal > 0 && plural(rejectedTotal, "row that was left out", "rows that were left out"),
    warningTotal > 0 && plural(warningTotal, "warning"),
  ].filter((part) => part !== false);
  return `Show the ${parts.join(", and ")}`;
}
