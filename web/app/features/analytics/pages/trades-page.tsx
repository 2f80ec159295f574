import { useSearchParams } from "react-router";
import { CorporateActionsPanel } from "#features/analytics/corporate-actions/corporate-actions-panel.tsx";
import { type Filters, parseDrilldown } from "#features/analytics/filters/analytics-view.ts";
import { PositionsPanel } from "#features/analytics/positions/positions-panel.tsx";
import { ClosedTradesPanel } from "#features/analytics/tables/closed-trades-panel.tsx";

/** Positions or closed trades, with the open ones, and what is missing in the log. */
export function TradesPage({ filters }: { filters: Filters }) {
  const [params] = useSearchParams();
  const isClosedTrades = filters.unit === "closedTrades" || parseDrilldown(params).kind === "closedTrade";
  return (
    <div className="space-y-5 pt-5">
      {isClosedTrades ? <ClosedTradesPanel filters={filters} /> : <PositionsPanel filters={filters} />}
      <CorporateActionsPanel />
    </div>
  );
}
