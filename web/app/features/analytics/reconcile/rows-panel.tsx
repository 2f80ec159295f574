import { useState } from "react";
import { Panel } from "#features/analytics/charts/panel.tsx";
import { ComparedTable } from "#features/analytics/reconcile/compared-table.tsx";
import {
  type Reconciliation,
  type Row,
  rowLines,
  rowName,
  rowNoun,
} from "#features/analytics/reconcile/reconciliation.ts";
import { RepairForm } from "#features/analytics/reconcile/repair-form.tsx";
import { RowLink } from "#features/analytics/reconcile/row-link.tsx";
import { NoRowsMatch, Reason, RowTools, useRowsView } from "#features/analytics/reconcile/row-tools.tsx";
import { visibleRows } from "#features/analytics/reconcile/rows-view.ts";
import type { Repairs } from "#features/analytics/reconcile/use-repairs.ts";
import { type Column, DataTable } from "#features/analytics/tables/data-table.tsx";
import { brokerName } from "#lib/books.ts";
import { count, inrPaise, plural, signed } from "#lib/format.ts";
import { PAGE_SIZE, ShowMore } from "#ui/show-more.tsx";

export type RowsPanelProps = {
  result: Reconciliation;
  /** Undefined for a guest, who cannot repair. */
  repairs: Repairs | undefined;
};

/** Shares or contracts that differ, with the likely reason and the repair; those that agree are collapsed. */
export function RowsPanel({ result, repairs }: RowsPanelProps) {
  const { rows, differingRows, totalRows } = result;
  const { view, change } = useRowsView();
  const visible = visibleRows(rows, view);
  const different = visible.filter(({ agrees }) => !agrees);
  const same = visible.filter(({ agrees }) => agrees);
  const noun = rowNoun(result);
  const agreeing = totalRows - differingRows;
  return (
    <Panel
      title={noun === "share" ? "Share by share" : "Contract by contract"}
      text={`${plural(differingRows, `${noun} differs`, `${noun}s differ`)}, ${agreeing > 0 ? `${count(agreeing)} agree` : "none agrees"} to the paisa.`}
      tools={rows.length > 1 && <RowTools view={view} rows={rows} onChange={change} />}
    >
      <Different key={JSON.stringify(view)} rows={different} result={result} repairs={repairs} />
      {visible.length === 0 && <NoRowsMatch />}
      {same.length > 0 && <Agreeing rows={same} result={result} />}
    </Panel>
  );
}

type DifferentProps = RowsPanelProps & { rows: readonly Row[] };

function Different({ rows, result, repairs }: DifferentProps) {
  const [shown, setShown] = useState(PAGE_SIZE);
  if (rows.length === 0) return null;
  return (
    <>
      <ComparedTable
        caption="Differences"
        first={rowNoun(result) === "share" ? "Share" : "Contract"}
        broker={brokerName(result.broker)}
        rows={rows.slice(0, shown).map((row) => ({
          key: rowKey(row),
          name: <RowLink row={row} report={result} />,
          lines: rowLines(row),
          note: row.cause && <Note row={row} cause={row.cause} repairs={repairs} />,
        }))}
      />
      <ShowMore shown={shown} total={rows.length} onMore={() => setShown(shown + PAGE_SIZE)} />
    </>
  );
}

type NoteProps = { row: Row; cause: NonNullable<Row["cause"]>; repairs: Repairs | undefined };

function Note({ row, cause, repairs }: NoteProps) {
  return (
    <>
      <Reason cause={cause} />
      {repairs && row.repair && <RepairForm repair={row.repair} name={rowName(row)} repairs={repairs} />}
    </>
  );
}

function Agreeing({ rows, result }: { rows: readonly Row[]; result: Reconciliation }) {
  const [shown, setShown] = useState(PAGE_SIZE);
  const noun = rowNoun(result);
  const columns: readonly Column<Row>[] = [
    { label: noun === "share" ? "Share" : "Contract", cell: (row) => <RowLink row={row} report={result} /> },
    { label: "Gross P&L", figures: true, cell: ({ log }) => log && signed(log.gross) },
    { label: "Quantity", figures: true, cell: ({ log }) => log && count(log.quantity) },
    { label: "Buy value", figures: true, cell: ({ log }) => log && inrPaise(log.buyValue) },
    { label: "Sale value", figures: true, cell: ({ log }) => log && inrPaise(log.sellValue) },
  ];
  return (
    <details className="border-line border-t">
      <summary className="min-h-11 cursor-pointer px-4 py-2.5 font-semibold text-ui -outline-offset-2 sm:px-6">
        {count(rows.length)} agree to the paisa
      </summary>
      <DataTable
        caption={`${noun === "share" ? "Shares" : "Contracts"} that agree`}
        columns={columns}
        rows={rows.slice(0, shown)}
        rowKey={rowKey}
      />
      <ShowMore shown={shown} total={rows.length} onMore={() => setShown(shown + PAGE_SIZE)} />
    </details>
  );
}

/** Includes the ISIN, because a share that changed its ISIN may have two rows. */
function rowKey(row: Row): string {
  return `${rowName(row)} ${row.isin}`;
}
