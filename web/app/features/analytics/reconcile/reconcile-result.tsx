import { Panel } from "#features/analytics/charts/panel.tsx";
import { ChargesCompared } from "#features/analytics/reconcile/charges-compared.tsx";
import { ComparedTable } from "#features/analytics/reconcile/compared-table.tsx";
import { NotCompared } from "#features/analytics/reconcile/not-compared.tsx";
import { reconcileCsv } from "#features/analytics/reconcile/reconcile-csv.ts";
import {
  chargesText,
  grossText,
  type Reconciliation,
  sumLine,
} from "#features/analytics/reconcile/reconciliation.ts";
import { RepairBar } from "#features/analytics/reconcile/repair-bar.tsx";
import { ResultTools } from "#features/analytics/reconcile/result-tools.tsx";
import { RowsPanel } from "#features/analytics/reconcile/rows-panel.tsx";
import type { Compared, Comparison } from "#features/analytics/reconcile/use-comparison.ts";
import { useRepairs } from "#features/analytics/reconcile/use-repairs.ts";
import { useSettingRepairs } from "#features/analytics/reconcile/use-setting-repairs.ts";
import { useViewer } from "#features/analytics/viewer.ts";
import { brokerName } from "#lib/books.ts";
import { inrPaise, signed } from "#lib/format.ts";
import { Banner } from "#ui/banner.tsx";

export type ReconcileResultProps = { compared: Compared<Reconciliation>; comparison: Comparison };

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
      <ResultTools
        file={file}
        comparison={comparison}
        csvName={`${result.broker}-${result.tradetype}-${result.from}-${result.to}`}
        csv={() => reconcileCsv(result)}
      />
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
