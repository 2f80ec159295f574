import { NO_FILTERS, writeBehind, writeFilters } from "#features/analytics/filters/analytics-view.ts";
import type { Reconciliation, Row } from "#features/analytics/reconcile/reconciliation.ts";
import { CLOSED_TRADES } from "#features/analytics/tables/behind-link.tsx";

/**
 * Where the trades behind ours of a row stand: its closed trades of the period, or, where it has none, the trade log
 * searched for it. The log is at hand at one's own desk alone.
 */
export function behindRow({ symbol, ours }: Row, report: Reconciliation, own: boolean): string | undefined {
  if (!symbol) return undefined;
  const { broker, tradetype, from, to } = report;
  if (!ours) {
    const search = new URLSearchParams({ panel: "1", q: symbol, broker, tradetype });
    return own ? `/dashboard?${search}` : undefined;
  }
  const filtered = writeFilters(new URLSearchParams(), { ...NO_FILTERS, from, to, broker, symbol });
  // A symbol stands for what contracts are on, too.
  const search =
    tradetype === "equity"
      ? writeBehind(filtered, { kind: "group", by: "instrument", key: "equity" })
      : filtered;
  return `/analytics?${search}#${CLOSED_TRADES}`;
}
