import { Download, Printer, RefreshCw } from "lucide-react";
import type { Comparison } from "#features/analytics/reconcile/use-comparison.ts";
import { downloadCsv } from "#lib/csv.ts";
import { Button } from "#ui/button.tsx";

export type ResultToolsProps = {
  file: File;
  comparison: Comparison;
  /** Part of the name of the CSV file. */
  csvName: string;
  csv: () => string;
};

/** Buttons of a comparison: compare again, another report, download and print. */
export function ResultTools({
  file,
  comparison: { sending, compare, clear },
  csvName,
  csv,
}: ResultToolsProps) {
  return (
    <div data-print="no" className="mt-5 flex flex-wrap gap-2.5 max-sm:*:grow">
      <Button
        variant="secondary"
        size="sm"
        icon={<RefreshCw size={16} aria-hidden />}
        pending={sending !== undefined}
        onClick={() => compare(file)}
      >
        Compare again
      </Button>
      <Button variant="secondary" size="sm" onClick={clear}>
        Choose another report
      </Button>
      <Button
        variant="secondary"
        size="sm"
        icon={<Download size={16} aria-hidden />}
        onClick={() => downloadCsv(`tradebahi-reconcile-${csvName}.csv`, csv())}
      >
        Download (CSV)
      </Button>
      <Button
        variant="secondary"
        size="sm"
        icon={<Printer size={16} aria-hidden />}
        onClick={() => window.print()}
      >
        Print
      </Button>
    </div>
  );
}
