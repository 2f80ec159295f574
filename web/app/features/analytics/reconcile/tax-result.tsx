import { Panel } from "#features/analytics/charts/panel.tsx";
import { ComparedTable } from "#features/analytics/reconcile/compared-table.tsx";
import { LinesPanel } from "#features/analytics/reconcile/lines-panel.tsx";
import { NotCompared } from "#features/analytics/reconcile/not-compared.tsx";
import { ResultTools } from "#features/analytics/reconcile/result-tools.tsx";
import { taxCsv } from "#features/analytics/reconcile/tax-csv.ts";
import {
  HEAD_NAMES,
  headLine,
  headsText,
  type TaxReconciliation,
} from "#features/analytics/reconcile/tax-reconciliation.ts";
import type { Compared, Comparison } from "#features/analytics/reconcile/use-comparison.ts";
import { brokerName } from "#lib/books.ts";
import { count, plural } from "#lib/format.ts";
import { Banner } from "#ui/banner.tsx";

export type TaxResultProps = { compared: Compared<TaxReconciliation>; comparison: Comparison };

/** Result of the comparison with a tax report: heads of income, lines, and what was not compared. */
export function TaxResult({ compared: { file, result }, comparison }: TaxResultProps) {
  const { agrees, totalLines, notCompared } = result;
  return (
    <>
      <ResultTools
        file={file}
        comparison={comparison}
        csvName={`${result.broker}-tax-${result.from}-${result.to}`}
        csv={() => taxCsv(result)}
      />
      <div className="space-y-5 pt-5">
        <Banner tone={agrees ? "gain" : "warn"} title={headsText(result)}>
          {agrees ? `${plural(totalLines, "line")} compared, all agree.` : linesText(result)}
        </Banner>
        <Heads result={result} />
        <LinesPanel result={result} />
        <NotCompared notes={notCompared} />
      </div>
    </>
  );
}

function linesText({ totalLines, differingLines }: TaxReconciliation): string {
  const agreeing = totalLines - differingLines;
  const text = `${plural(differingLines, "line differs", "lines differ")}, ${agreeing > 0 ? `${count(agreeing)} agree` : "none agrees"}.`;
  return `${text} The likely reasons are below.`;
}

function Heads({ result: { heads, broker } }: { result: TaxReconciliation }) {
  return (
    <Panel
      title="Heads of income"
      text="Gross P&L: sale value minus buy value, before charges and before the raised cost of January 2018."
      className="print:break-inside-avoid"
    >
      <ComparedTable
        caption="Heads of income"
        first="Head"
        broker={brokerName(broker)}
        rows={heads.map((head) => ({
          key: head.head,
          name: <span className="font-semibold">{HEAD_NAMES[head.head]}</span>,
          lines: [headLine(head)],
        }))}
      />
    </Panel>
  );
}
