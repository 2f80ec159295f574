import { useState } from "react";
import { useSearchParams } from "react-router";
import type { ClosedTrade } from "#features/analytics/analytics-api.ts";
import { Panel } from "#features/analytics/charts/panel.tsx";
import {
  type Drilldown,
  drilldownName,
  drilldownQuery,
  type Filters,
  parseDrilldown,
} from "#features/analytics/filters/analytics-view.ts";
import { ClosedTradeEntry } from "#features/analytics/tables/closed-trade-entry.tsx";
import { ListTools, PagedList } from "#features/analytics/tables/paged-list.tsx";
import { type ClosedTradeSort, useClosedTrades } from "#features/analytics/tables/use-closed-trades.ts";
import { plural } from "#lib/format.ts";

/** Paged list of the closed trades, or of those of a drill-down. */
export function ClosedTradesPanel({ filters }: { filters: Filters }) {
  const [params] = useSearchParams();
  const drilldown = parseDrilldown(params);
  const [sort, setSort] = useState<ClosedTradeSort>("-closed");
  const { closedTrades, total, query } = useClosedTrades(drilldownQuery(filters, drilldown), sort);

  return (
    <div>
      <Panel
        title={title(drilldown, total)}
        text="A closed trade is one exit and the lots it closed, first in, first out. Open one to see its trades and charges."
        tools={<ListTools noun="closed trade" drilldown={drilldown} sort={sort} onSort={setSort} />}
      >
        <PagedList noun="closed trade" query={query} loaded={closedTrades.length} total={total}>
          <ClosedTradeList closedTrades={closedTrades} />
        </PagedList>
      </Panel>
    </div>
  );
}

function title(drilldown: Drilldown, total = 0): string {
  const name = drilldownName(drilldown);
  if (drilldown.kind === "closedTrade") return name;
  return name ? `${name}: ${plural(total, "closed trade")}` : "Closed trades";
}

function ClosedTradeList({ closedTrades }: { closedTrades: readonly ClosedTrade[] }) {
  if (closedTrades.length === 0)
    return (
      <p className="px-4 pb-6 text-ink-2 text-ui sm:px-6">
        No closed trades match. Show all closed trades, or change the filters.
      </p>
    );
  return (
    <ul className="border-line border-t">
      {closedTrades.map((closedTrade) => (
        <ClosedTradeEntry key={closedTrade.id} closedTrade={closedTrade} />
      ))}
    </ul>
  );
}
