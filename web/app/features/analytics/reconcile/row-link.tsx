import { Link } from "react-router";
import { NO_FILTERS, writeDrilldown, writeFilters } from "#features/analytics/filters/analytics-view.ts";
import { type Reconciliation, type RowNames, rowName } from "#features/analytics/reconcile/reconciliation.ts";
import { useViewer } from "#features/analytics/viewer.ts";
import { TRADES_PATH } from "#lib/analytics-paths.ts";

/** Share or contract; `log` is null if the log has no closed trades of it. */
type LinkedRow = RowNames & { log: object | null };
/** Closed trades to which a row leads. */
type Scope = Pick<Reconciliation, "broker" | "tradetype" | "from" | "to">;

/** Name of a share or contract, linked to its trades if the log has any. */
export function RowLink({ row, report }: { row: LinkedRow; report: Scope }) {
  const { isOwner } = useViewer();
  const name = rowName(row);
  const to = rowPath(row, report, isOwner);
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

/**
 * Returns the address of the trades of a row: its closed trades of the period or, without any, the trade log filtered by
 * its symbol. Only the owner can open the trade log.
 */
export function rowPath(
  { symbol, log }: Pick<LinkedRow, "symbol" | "log">,
  report: Scope,
  isOwner: boolean,
): string | undefined {
  if (!symbol) return undefined;
  const { broker, tradetype, from, to } = report;
  if (!log) {
    const search = new URLSearchParams({ panel: "1", q: symbol, broker, tradetype });
    return isOwner ? `/dashboard?${search}` : undefined;
  }
  const filtered = writeFilters(new URLSearchParams(), {
    ...NO_FILTERS,
    ...{ from, to, broker, symbol },
    // The report compares closed trades.
    unit: "closedTrades",
  });
  // The symbol of a share is also the underlying of its contracts, which the group excludes.
  const search =
    tradetype === "equity"
      ? writeDrilldown(filtered, { kind: "group", by: "instrument", key: "equity" })
      : filtered;
  return `${TRADES_PATH}?${search}`;
}
