import { Download } from "lucide-react";
import { issuesCsv, issuesFileName, listIssues } from "#features/import/issues.ts";
import { IssuesTable } from "#features/import/issues-table.tsx";
import type { Report } from "#features/import/preview.ts";
import { reportDescription, reportTone, totalCounts } from "#features/import/report-text.ts";
import { signatureSummary } from "#features/import/signature-text.ts";
import { downloadCsv } from "#lib/csv.ts";
import { count, plural } from "#lib/format.ts";
import { importTitle } from "#lib/import-title.ts";
import { Banner } from "#ui/banner.tsx";
import { Button } from "#ui/button.tsx";

/** Report of the last import above the trade log; stays until it is dismissed. */
export function ImportReport({ reports, onDismiss }: { reports: readonly Report[]; onDismiss: () => void }) {
  const total = totalCounts(reports);
  const signatures = reports.flatMap(({ signature }) => signature ?? []);
  const withIssues = reports.filter(({ rejectedTotal, warningTotal }) => rejectedTotal + warningTotal > 0);
  return (
    <section aria-label="Import report" className="mt-6">
      <Banner
        tone={reportTone(total)}
        title={importTitle(total)}
        onDismiss={onDismiss}
        className={withIssues.length > 0 ? "rounded-b-none!" : ""}
      >
        {reports.map((report) => (
          <p key={report.id} className="break-words">
            {reportDescription(report)}
            {reports.length > 1 && `: ${importTitle(report)}`}
          </p>
        ))}
        {signatureSummary(signatures).map((line) => (
          <p key={line} className="break-words">
            {line}
          </p>
        ))}
      </Banner>
      {withIssues.map((report) => (
        <FileIssueList key={report.id} report={report} withName={reports.length > 1} />
      ))}
    </section>
  );
}

function FileIssueList({ report, withName }: { report: Report; withName: boolean }) {
  const { fileName, rejected, rejectedTotal, warnings, warningTotal } = report;
  const listed = rejected.length + warnings.length;
  return (
    <details className="border border-line border-t-0 bg-surface last:rounded-b-panel">
      <summary className="px-5 py-3 font-semibold text-ui hover:text-brand">
        {withName && `${fileName}: `}
        {summary(report)}
      </summary>
      <div className="flex flex-wrap items-center justify-between gap-3 px-5 pb-4">
        <p className="min-w-0 flex-1 basis-72 text-data text-ink-2">
          {listed < rejectedTotal + warningTotal && `Only the first ${count(listed)} are listed. `}
          {rejectedTotal > 0
            ? "Row and cell numbers are those of your file. Correct the skipped rows in the file and upload it again. Trades already in the log are not added twice."
            : "All trades are in the log as in the file. Please check these."}
        </p>
        <Button
          size="sm"
          variant="secondary"
          icon={<Download size={17} aria-hidden />}
          onClick={() => downloadCsv(issuesFileName(fileName), issuesCsv(listIssues(report)))}
        >
          Download problems (CSV)
        </Button>
      </div>
      <section
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard
        tabIndex={0}
        aria-label={`Rows to check in ${fileName}`}
        className="relative max-h-96 overflow-auto rounded-b-panel border-line border-t"
      >
        <IssuesTable label={`Rows of ${fileName}`} issues={listIssues(report)} />
      </section>
    </details>
  );
}

/** Returns "Show 2 skipped rows and 5 warnings". */
function summary({ rejectedTotal, warningTotal }: Report): string {
  const parts = [
    rejectedTotal > 0 && plural(rejectedTotal, "skipped row"),
    warningTotal > 0 && plural(warningTotal, "warning"),
  ].filter((part) => part !== false);
  return `Show ${parts.join(" and ")}`;
}
