import { useState } from "react";
import { Panel } from "#features/analytics/charts/panel.tsx";
import { ComparedTable } from "#features/analytics/reconcile/compared-table.tsx";
import { rowName } from "#features/analytics/reconcile/reconciliation.ts";
import { RowLink } from "#features/analytics/reconcile/row-link.tsx";
import { NoRowsMatch, Reason, RowTools, useRowsView } from "#features/analytics/reconcile/row-tools.tsx";
import { visibleRows } from "#features/analytics/reconcile/rows-view.ts";
import {
  HEAD_NAMES,
  headsDiffer,
  type Line,
  lineHead,
  lineLines,
  lineScope,
  type TaxReconciliation,
} from "#features/analytics/reconcile/tax-reconciliation.ts";
import { type Column, DataTable } from "#features/analytics/tables/data-table.tsx";
import { brokerName } from "#lib/books.ts";
import { count, date, inrPaise, plural, signed } from "#lib/format.ts";
import { period } from "#lib/period.ts";
import { PAGE_SIZE, ShowMore } from "#ui/show-more.tsx";

export type LinesPanelProps = { result: TaxReconciliation };

/** Lines of the tax report that differ, with the likely reason; those that agree are collapsed. */
export function LinesPanel({ result }: LinesPanelProps) {
  const { lines, differingLines } = result;
  const { view, change } = useRowsView();
  const visible = visibleRows(lines, view);
  const different = visible.filter(({ agrees }) => !agrees);
  const same = visible.filter(({ agrees }) => agrees);
  return (
    <Panel
      title="Line by line"
      text={`A line is what was opened on one day and closed on one day. ${plural(differingLines, "line differs", "lines differ")}.`}
      tools={lines.length > 1 && <RowTools view={view} rows={lines} onChange={change} />}
    >
      <Different key={JSON.stringify(view)} lines={different} result={result} />
      {visible.length === 0 && <NoRowsMatch />}
      {same.length > 0 && <Agreeing lines={same} result={result} />}
    </Panel>
  );
}

type LinesProps = LinesPanelProps & { lines: readonly Line[] };

function Different({ lines, result }: LinesProps) {
  const [shown, setShown] = useState(PAGE_SIZE);
  if (lines.length === 0) return null;
  return (
    <>
      <ComparedTable
        caption="Differences"
        first="Line"
        broker={brokerName(result.broker)}
        rows={lines.slice(0, shown).map((line) => ({
          key: lineKey(line),
          name: <LineName line={line} result={result} />,
          lines: lineLines(line),
          note: line.cause && <Reason cause={line.cause} />,
        }))}
      />
      <ShowMore shown={shown} total={lines.length} onMore={() => setShown(shown + PAGE_SIZE)} />
    </>
  );
}

function LineName({ line, result }: { line: Line; result: TaxReconciliation }) {
  return (
    <>
      <RowLink row={line} report={lineScope(line, result)} />
      <span className="block text-floor text-ink-2">{period(line.entryDay, line.exitDay)}</span>
      {!headsDiffer(line) && (
        <span className="block text-floor text-ink-2">{HEAD_NAMES[lineHead(line)]}</span>
      )}
    </>
  );
}

function Agreeing({ lines, result }: LinesProps) {
  const [shown, setShown] = useState(PAGE_SIZE);
  const columns: readonly Column<Line>[] = [
    { label: "Line", cell: (line) => <RowLink row={line} report={lineScope(line, result)} /> },
    { label: "Gross P&L", figures: true, cell: ({ log }) => log && signed(log.gross) },
    { label: "Head", cell: (line) => HEAD_NAMES[lineHead(line)] },
    { label: "Opened", cell: ({ entryDay }) => date(entryDay) },
    { label: "Closed", cell: ({ exitDay }) => date(exitDay) },
    { label: "Quantity", figures: true, cell: ({ log }) => log && count(log.quantity) },
    { label: "Buy value", figures: true, cell: ({ log }) => log && inrPaise(log.buyValue) },
    { label: "Sale value", figures: true, cell: ({ log }) => log && inrPaise(log.sellValue) },
  ];
  return (
    <details className="border-line border-t">
      <summary className="min-h-11 cursor-pointer px-4 py-2.5 font-semibold text-ui -outline-offset-2 sm:px-6">
        {plural(lines.length, "line agrees", "lines agree")}
      </summary>
      <DataTable caption="Lines that agree" columns={columns} rows={lines.slice(0, shown)} rowKey={lineKey} />
      <ShowMore shown={shown} total={lines.length} onMore={() => setShown(shown + PAGE_SIZE)} />
    </details>
  );
}

/** Returns the key of a line; a share may have lines of several heads on the same days. */
function lineKey(line: Line): string {
  const heads = `${line.log?.head} ${line.report?.head}`;
  return `${rowName(line)} ${line.isin} ${line.entryDay} ${line.exitDay} ${heads}`;
}
