import { ArrowLeft } from "lucide-react";
import { lazy, Suspense, useRef, useState } from "react";
import { Link } from "react-router";
import { AccessExpired } from "#features/analytics/access-expired.tsx";
import { verdict } from "#features/analytics/reconcile/reconciliation.ts";
import { ReportFailed } from "#features/analytics/reconcile/report-failed.tsx";
import { ReportHelp } from "#features/analytics/reconcile/report-help.tsx";
import { ReportProgress } from "#features/analytics/reconcile/report-progress.tsx";
import { ACCESS_EXPIRED } from "#features/analytics/reconcile/send-report.ts";
import { isTaxReconciliation, taxVerdict } from "#features/analytics/reconcile/tax-reconciliation.ts";
import {
  type Compared,
  type Comparison,
  useComparison,
} from "#features/analytics/reconcile/use-comparison.ts";
import { type Viewer, ViewerContext } from "#features/analytics/viewer.ts";
import { time } from "#lib/format.ts";
import { useHeadingFocus } from "#lib/heading-focus.ts";
import { period } from "#lib/period.ts";
import { checkSheetFile, FILE_KINDS } from "#lib/sheet-file.ts";
import { FilePicker } from "#ui/file-picker.tsx";
import { TableSkeleton } from "#ui/skeleton.tsx";

const ReconcileResult = lazy(async () => ({
  default: (await import("#features/analytics/reconcile/reconcile-result.tsx")).ReconcileResult,
}));
const TaxResult = lazy(async () => ({
  default: (await import("#features/analytics/reconcile/tax-result.tsx")).TaxResult,
}));

/** Comparison of the trade log with the broker's profit and loss report or tax report, which is not stored. */
export function ReconcilePage({ viewer }: { viewer: Viewer }) {
  return (
    <ViewerContext value={viewer}>
      <Reconcile />
    </ViewerContext>
  );
}

function Reconcile() {
  const comparison = useComparison();
  const { compared, sending, failed, compare, cancel } = comparison;
  useHeadingFocus(compared?.at ?? "");

  if (failed?.failure.code === ACCESS_EXPIRED) return <AccessExpired />;
  return (
    <div className="mx-auto max-w-[1160px]">
      <Link
        to="/analytics/charges"
        data-print="no"
        className="link -mt-2 inline-flex min-h-11 items-center gap-2 text-data"
      >
        <ArrowLeft size={16} aria-hidden />
        Charges
      </Link>
      <h1 tabIndex={-1} className="pt-1 text-[2rem]">
        {compared ? anyVerdict(compared.result) : "Reconcile with your broker"}
      </h1>
      <p className="mt-2 max-w-prose text-data text-ink-2">
        {compared
          ? `${compared.result.formatTitle}, ${period(compared.result.from, compared.result.to)}. Compared at ${time(compared.at)}.`
          : "Compare your log with your broker's profit and loss report or tax report. You see both figures, the difference and the likely reason. The report is not stored."}
      </p>
      {sending && <ReportProgress {...sending} onCancel={cancel} />}
      {failed && (
        <ReportFailed file={failed.file} failure={failed.failure} onRetry={() => compare(failed.file)} />
      )}
      {compared ? (
        <Suspense fallback={<TableSkeleton label="Loading the comparison" />}>
          <Result compared={compared} comparison={comparison} />
        </Suspense>
      ) : (
        <ReportForm comparison={comparison} />
      )}
    </div>
  );
}

function Result({ compared, comparison }: { compared: Compared; comparison: Comparison }) {
  const { result } = compared;
  if (isTaxReconciliation(result))
    return <TaxResult compared={{ ...compared, result }} comparison={comparison} />;
  return <ReconcileResult compared={{ ...compared, result }} comparison={comparison} />;
}

function anyVerdict(result: Compared["result"]): string {
  return isTaxReconciliation(result) ? taxVerdict(result) : verdict(result);
}

function ReportForm({ comparison: { sending, failed, compare, clear } }: { comparison: Comparison }) {
  const picker = useRef<HTMLInputElement>(null);
  const [error, setError] = useState<string>();

  function choose(file: File | undefined) {
    const problem = file && checkSheetFile(file);
    setError(problem);
    if (file && !problem) compare(file);
    else clear();
  }

  return (
    <div className="mt-7 grid max-w-5xl gap-x-14 gap-y-10 lg:grid-cols-[minmax(0,1fr)_19rem]">
      <div className="min-w-0">
        <FilePicker
          ref={picker}
          label="Profit and loss report or tax report"
          kinds={FILE_KINDS}
          hint="From Zerodha (P&L of equity or F&O, tax P&L) or Groww (P&L or capital gains of stocks). XLSX, XLS or CSV, up to 32 MiB."
          file={sending?.file ?? failed?.file}
          error={error}
          onChange={choose}
        />
      </div>
      <ReportHelp />
    </div>
  );
}
