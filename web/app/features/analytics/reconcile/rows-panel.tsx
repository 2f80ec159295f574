import { Search } from "lucide-react";
import { useState } from "react";
import { useSearchParams } from "react-router";
import { Panel } from "#features/analytics/charts/panel.tsx";
import { ComparedTable } from "#features/analytics/reconcile/compared-table.tsx";
import {
  REASON_NOT_FOUND,
  REASONS,
  type Reconciliation,
  type Row,
  reasonOptions,
  rowLines,
  rowName,
  rowNoun,
} from "#features/analytics/reconcile/reconciliation.ts";
import { RepairForm } from "#features/analytics/reconcile/repair-form.tsx";
import { RowLink } from "#features/analytics/reconcile/row-link.tsx";
import {
  parseRowsView,
  type RowsView,
  SORTS,
  visibleRows,
  writeRowsView,
} from "#features/analytics/reconcile/rows-view.ts";
import type { Repairs } from "#features/analytics/reconcile/use-repairs.ts";
import { type Column, DataTable } from "#features/analytics/tables/data-table.tsx";
import { brokerName } from "#lib/books.ts";
import { count, inrPaise, plural, signed } from "#lib/format.ts";
import { ChoiceFilter } from "#ui/choice-filter.tsx";
import { PAGE_SIZE, ShowMore } from "#ui/show-more.tsx";
import { CONTROL } from "#ui/text-input.tsx";

export type RowsPanelProps = {
  result: Reconciliation;
  /** Undefined for a guest, who cannot repair. */
  repairs: Repairs | undefined;
};

/** Shares or contracts that differ, with the likely reason and the repair; those that agree are collapsed. */
export function RowsPanel({ result, repairs }: RowsPanelProps) {
  const { rows, differingRows, totalRows } = result;
  const [params, setParams] = useSearchParams();
  const view = parseRowsView(params);
  const visible = visibleRows(rows, view);
  const different = visible.filter(({ agrees }) => !agrees);
  const same = visible.filter(({ agrees }) => agrees);
  const change = (next: Partial<RowsView>) =>
    setParams((now) => writeRowsView(now, { ...parseRowsView(now), ...next }), {
      replace: true,
      preventScrollReset: true,
    });
  const noun = rowNoun(result);
  const agreeing = totalRows - differingRows;
  return (
    <Panel
      title={noun === "share" ? "Share by share" : "Contract by contract"}
      text={`${plural(differingRows, `${noun} differs`, `${noun}s differ`)}, ${agreeing > 0 ? `${count(agreeing)} agree` : "none agrees"} to the paisa.`}
      tools={rows.length > 1 && <RowTools view={view} rows={rows} onChange={change} />}
    >
      <Different key={JSON.stringify(view)} rows={different} result={result} repairs={repairs} />
      {visible.length === 0 && (
        <p role="status" className="border-line border-t px-4 py-5 text-ink-2 text-ui sm:px-6">
          No rows match. Clear the search or choose another reason.
        </p>
      )}
      {same.length > 0 && <Agreeing rows={same} result={result} />}
    </Panel>
  );
}

type RowToolsProps = { view: RowsView; rows: readonly Row[]; onChange: (next: Partial<RowsView>) => void };

function RowTools({ view, rows, onChange }: RowToolsProps) {
  const reasons = reasonOptions(rows);
  return (
    <>
      <div className="relative w-44">
        <Search
          size={17}
          aria-hidden
          className="pointer-events-none absolute top-1/2 left-3 -translate-y-1/2 text-ink-3"
        />
        {/* Uncontrolled, because the value in the address is updated with a delay. */}
        <input
          type="search"
          aria-label="Symbol"
          placeholder="Symbol"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={64}
          defaultValue={view.q}
          onChange={(event) => onChange({ q: event.currentTarget.value })}
          className={`${CONTROL} h-10! pl-9.5 text-ui!`}
        />
      </div>
      {reasons.length > 1 && (
        <ChoiceFilter
          label="Likely reason"
          value={view.cause}
          options={reasons}
          onChange={(cause) => onChange({ cause })}
        />
      )}
      <ChoiceFilter
        label="Sort by"
        value={view.sort}
        options={SORTS}
        required
        onChange={(sort) => onChange({ sort: sort || "size" })}
      />
    </>
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

function Reason({ cause: { code, sentence } }: { cause: NonNullable<Row["cause"]> }) {
  if (code === "none") return REASON_NOT_FOUND;
  const label = REASONS.find(({ value }) => value === code)?.label;
  return (
    <>
      {label && <strong className="font-semibold text-ink">{label}.</strong>} {sentence}
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
