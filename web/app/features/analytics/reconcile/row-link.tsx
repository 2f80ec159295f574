import { Link } from "react-router";
import { useReader } from "#features/analytics/reader.ts";
import { behindRow } from "#features/analytics/reconcile/behind-row.ts";
import { type Reconciliation, type Row, rowName } from "#features/analytics/reconcile/reconciliation.ts";

/** A share or contract: leads to the trades behind its figures, where the log has any. */
export function RowLink({ row, report }: { row: Row; report: Reconciliation }) {
  const { own } = useReader();
  const name = rowName(row);
  const to = behindRow(row, report, own);
  return (
    <>
      {to ? (
        <Link to={to} className="link break-words font-semibold!">
          {name}
        </Link>
      ) : (
        <span className="break-words font-semibold">{name}</span>
      )}
      {row.name && row.name !== name && <span className="block text-floor text-ink-2">{row.name}</span>}
    </>
  );
}
