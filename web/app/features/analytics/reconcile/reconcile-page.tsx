import { ArrowLeft } from "lucide-react";
import { useRef, useState } from "react";
import { Link } from "react-router";
import { type Reader, ReaderContext } from "#features/analytics/reader.ts";
import { ReadingOver } from "#features/analytics/reading-over.tsx";
import { ReconcileResult } from "#features/analytics/reconcile/reconcile-result.tsx";
import { verdict } from "#features/analytics/reconcile/reconciliation.ts";
import { ReportFailed } from "#features/analytics/reconcile/report-failed.tsx";
import { ReportHelp } from "#features/analytics/reconcile/report-help.tsx";
import { ReportProgress } from "#features/analytics/reconcile/report-progress.tsx";
import { READING_OVER } from "#features/analytics/reconcile/send-report.ts";
import { type Comparison, useComparison } from "#features/analytics/reconcile/use-comparison.ts";
import { time } from "#lib/format.ts";
import { period } from "#lib/period.ts";
import { FILE_KINDS, refusal } from "#lib/sheet-file.ts";
import { useNewHeading } from "#lib/use-new-heading.ts";
import { FilePicker } from "#ui/file-picker.tsx";

/** The broker's own profit and loss report beside the log: ours, theirs and the difference. Nothing of it is kept. */
export function ReconcilePage({ reader }: { reader: Reader }) {
  return (
    <ReaderContext value={reader}>
      <Reconcile />
    </ReaderContext>
  );
}

function Reconcile() {
  const comparison = useComparison();
  const { compared, sending, failed, compare, cancel } = comparison;
  useNewHeading(compared?.at ?? "");

  if (failed?.failure.code === READING_OVER) return <ReadingOver />;
  return (
    <div className="mx-auto max-w-[1160px]">
      <Link
        to="/analytics"
        data-print="no"
        className="link -mt-2 inline-flex min-h-11 items-center gap-2 text-data"
      >
        <ArrowLeft size={16} aria-hidden />
        Analytics
      </Link>
      <h1 tabIndex={-1} className="pt-1 text-[2rem]">
        {compared ? verdict(compared.result) : "Reconcile with your broker"}
      </h1>
      <p className="mt-2 max-w-prose text-data text-ink-2">
        {compared
          ? `${compared.result.formatTitle}, ${period(compared.result.from, compared.result.to)}. Compared at ${time(compared.at)}.`
          : "Your broker's profit and loss report beside your log: ours, theirs and the difference, with the likely cause. Nothing of the report is kept."}
      </p>
      {sending && <ReportProgress {...sending} onCancel={cancel} />}
      {failed && (
        <ReportFailed file={failed.file} failure={failed.failure} onRetry={() => compare(failed.file)} />
      )}
      {compared ? (
        <ReconcileResult compared={compared} comparison={comparison} />
      ) : (
        <ReportForm comparison={comparison} />
      )}
    </div>
  );
}

function ReportForm({ comparison: { sending, failed, compare, clear } }: { comparison: Comparison }) {
  const picker = useRef<HTMLInputElement>(null);
  const [error, setError] = useState<string>();

  function choose(file: File | undefined) {
    const why = file && refusal(file);
    setError(why);
    if (file && !why) compare(file);
    else clear();
  }

  return (
    <div className="mt-7 grid max-w-5xl gap-x-14 gap-y-10 lg:grid-cols-[minmax(0,1fr)_19rem]">
      <div className="min-w-0">
        <FilePicker
          ref={picker}
          label="Profit and loss report"
          kinds={FILE_KINDS}
          hint="Of Zerodha (equity or F&O) or Groww (stocks): XLSX, XLS or CSV, up to 32 MiB. It is compared at once."
          file={sending?.file ?? failed?.file}
          error={error}
          onChange={choose}
        />
      </div>
      <ReportHelp />
    </div>
  );
}
