import { X } from "lucide-react";
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
  writeDrilldown,
} from "#features/analytics/filters/analytics-view.ts";
import { ClosedTradeEntry } from "#features/analytics/tables/closed-trade-entry.tsx";
import {
  CLOSED_TRADE_SORTS,
  type ClosedTradeSort,
  useClosedTrades,
} from "#features/analytics/tables/use-closed-trades.ts";
import { count, plural } from "#lib/format.ts";
import { Button } from "#ui/button.tsx";
import { ChoiceFilter } from "#ui/choice-filter.tsx";
import { LoadFailure } from "#ui/load-failure.tsx";
import { TableSkeleton } from "#ui/skeleton.tsx";

/** Paged list of the closed trades, or of those of a drill-down. */
export function ClosedTradesPanel({ filters }: { filters: Filters }) {
  const [params, setParams] = useSearchParams();
  const drilldown = parseDrilldown(params);
  const [sort, setSort] = useState<ClosedTradeSort>("-closed");
  const { closedTrades, total, stale, query } = useClosedTrades(drilldownQuery(filters, drilldown), sort);

  return (
    <div>
      <Panel
        title={title(drilldown, total)}
        text="A closed trade is one exit and the lots it closed, first in, first out. Open one to see its trades and charges."
        tools={
          <>
            {drilldown.kind !== "all" && (
              <Button
                variant="secondary"
                size="sm"
                icon={<X size={15} aria-hidden />}
                onClick={() =>
                  setParams((now) => writeDrilldown(now, { kind: "all" }), { preventScrollReset: true })
                }
                className="px-3! text-data!"
              >
                Show all closed trades
              </Button>
            )}
            <SortChoice sort={sort} onChange={setSort} />
          </>
        }
      >
        {!query.data && (
          <div className="px-4 pb-6 sm:px-6">
            {query.isError ? (
              <LoadFailure error={query.error} busy={query.isFetching} onRetry={() => void query.refetch()} />
            ) : (
              <TableSkeleton label="Loading closed trades" />
            )}
          </div>
        )}
        {query.data && (
          <div
            aria-busy={stale}
            className={stale ? "opacity-60 transition-opacity delay-200 duration-120" : ""}
          >
            <ClosedTradeList closedTrades={closedTrades} />
            <div className="flex flex-wrap items-center justify-between gap-3 border-line border-t px-4 py-3 sm:px-6">
              <p role="status" className="text-data text-ink-2">
                {`${count(closedTrades.length)} of ${plural(total, "closed trade")}`}
              </p>
              {query.hasNextPage && (
                <Button
                  variant="secondary"
                  size="sm"
                  pending={query.isFetchingNextPage}
                  onClick={() => void query.fetchNextPage()}
                  data-print="no"
                >
                  Show more
                </Button>
              )}
            </div>
          </div>
        )}
      </Panel>
    </div>
  );
}

function title(drilldown: Drilldown, total: number): string {
  const name = drilldownName(drilldown);
  if (drilldown.kind === "closedTrade") return name;
  return name ? `${name}: ${plural(total, "closed trade")}` : "Closed trades";
}

function SortChoice({
  sort,
  onChange,
}: {
  sort: ClosedTradeSort;
  onChange: (sort: ClosedTradeSort) => void;
}) {
  return (
    <ChoiceFilter
      label="Sort by"
      value={sort}
      options={CLOSED_TRADE_SORTS}
      required
      onChange={(value) => onChange(value || "-closed")}
    />
  );
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
