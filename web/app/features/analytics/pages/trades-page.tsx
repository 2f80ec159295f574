import { useSearchParams } from "react-router";
import { type Filters, parseDrilldown } from "#features/analytics/filters/analytics-view.ts";
import { OpenPositionsPanel } from "#features/analytics/positions/open-positions-panel.tsx";
import { PositionsPanel } from "#features/analytics/positions/positions-panel.tsx";
import { ClosedTradesPanel } from "#features/analytics/tables/closed-trades-panel.tsx";

/** Positions or closed trades, and the open positions with their average prices. */
export function TradesPage({ filters }: { filters: Filters }) {
  const [params] = useSearchParams();
  const isClosedTrades = filters.unit === "closedTrades" || parseDrilldown(params).kind === "closedTrade";
  return (
    <div className="space-y-5 pt-5">
      {isClosedTrades ? <ClosedTradesPanel filters={filters} /> : <PositionsPanel filters={filters} />}
      <OpenPositionsPanel />
    </div>
  );
}
