import { Download, Printer, RefreshCw } from "lucide-react";
import { Panel } from "#features/analytics/charts/panel.tsx";
import { ChargesCompared } from "#features/analytics/reconcile/charges-compared.tsx";
import { ComparedTable } from "#features/analytics/reconcile/compared-table.tsx";
import { reconcileCsv } from "#features/analytics/reconcile/reconcile-csv.ts";
import {
  chargesText,
  grossText,
  type Reconciliation,
  sumLine,
} from "#features/analytics/reconcile/reconciliation.ts";
import { RepairBar } from "#features/analytics/reconcile/repair-bar.tsx";
import { RowsPanel } from "#features/analytics/reconcile/rows-panel.tsx";
import type { Compared, Comparison } from "#features/analytics/reconcile/use-comparison.ts";
import { useRepairs } from "#features/analytics/reconcile/use-repairs.ts";
import { useSettingRepairs } from "#features/analytics/reconcile/use-setting-repairs.ts";
import { useViewer } from "#features/analytics/viewer.ts";
import { brokerName } from "#lib/books.ts";
import { downloadCsv } from "#lib/csv.ts";
import { inrPaise, signed } from "#lib/format.ts";
import { Banner } from "#ui/banner.tsx";
import { Button } from "#ui/button.tsx";

export type ReconcileResultProps = { compared: Compared; comparison: Comparison };

/** Result of the comparison: totals, shares or contracts, charges, and what was not compared. */
export function ReconcileResult({ compared, comparison }: ReconcileResultProps) {
  const { file, result } = compared;
  const viewer = useViewer();
  const compareAgain = () => comparison.compare(file);
  const ownRepairs = useRepairs(compareAgain);
  const settingRepairs = useSettingRepairs(compared, compareAgain);
  const repairs = viewer.isOwner ? ownRepairs : undefined;
  return (
    <>
      <Tools file={file} result={result} comparison={comparison} />
      <div className="space-y-5 pt-5">
        <Banner tone={result.agrees ? "gain" : "warn"} title={grossText(result)}>
          {chargesText(result)}
        </Banner>
        {repairs && <RepairBar result={result} repairs={repairs} settingRepairs={settingRepairs} />}
        <Totals result={result} />
        <RowsPanel result={result} repairs={repairs} />
        <ChargesCompared result={result} repairs={settingRepairs} />
        <NotCompared notes={result.notCompared} />
      </div>
    </>
  );
}

type ToolsProps = { file: File; result: Reconciliation; comparison: Comparison };

function Tools({ file, result, comparison: { sending, compare, clear } }: ToolsProps) {
  const { broker, tradetype, from, to } = result;
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
        onClick={() =>
          downloadCsv(`tradebahi-reconcile-${broker}-${tradetype}-${from}-${to}.csv`, reconcileCsv(result))
        }
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

function Totals({ result: { totals, broker } }: { result: Reconciliation }) {
  const { buyValue, sellValue, gross, charges, net } = totals;
  const lines = [
    { name: "Buy value", line: sumLine(buyValue, inrPaise) },
    { name: "Sale value", line: sumLine(sellValue, inrPaise) },
    { name: "Gross P&L", line: sumLine(gross, signed) },
    { name: "Charges", line: sumLine(charges, inrPaise) },
    { name: "Net P&L", line: sumLine(net, signed) },
  ];
  return (
    <Panel
      title="Totals"
      text="Trades closed in the period. Charges are those that both your log and the report have."
      className="print:break-inside-avoid"
    >
      <ComparedTable
        caption="Totals"
        first="Total"
        broker={brokerName(broker)}
        rows={lines.map(({ name, line }) => ({
          key: name,
          name: <span className="font-semibold">{name}</span>,
          lines: [line],
        }))}
      />
    </Panel>
  );
}

function NotCompared({ notes }: { notes: Reconciliation["notCompared"] }) {
  if (notes.length === 0) return null;
  return (
    <Panel title="Not compared" text="Not included in the totals above.">
      <ul className="space-y-1.5 border-line border-t px-4 py-4 text-data text-ink-2 sm:px-6">
        {notes.map(({ code, sentence }) => (
          <li key={code} className="border-rule border-l pl-3">
            {sentence}
          </li>
        ))}
      </ul>
    </Panel>
  );
}
