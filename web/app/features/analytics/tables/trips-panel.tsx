import { X } from "lucide-react";
import { useState } from "react";
import { useSearchParams } from "react-router";
import type { Trip } from "#features/analytics/analytics-api.ts";
import { Panel } from "#features/analytics/charts/panel.tsx";
import {
  type Behind,
  behindName,
  behindQuery,
  type Filters,
  parseBehind,
  writeBehind,
} from "#features/analytics/filters/analytics-view.ts";
import { TRIPS } from "#features/analytics/tables/behind-link.tsx";
import { TripEntry } from "#features/analytics/tables/trip-entry.tsx";
import { useArrivalAt } from "#features/analytics/tables/use-arrival-at.ts";
import { TRIP_SORTS, type TripSort, useTrips } from "#features/analytics/tables/use-trips.ts";
import { count, plural } from "#lib/format.ts";
import { Button } from "#ui/button.tsx";
import { ChoiceFilter } from "#ui/choice-filter.tsx";
import { LoadFailure } from "#ui/load-failure.tsx";
import { TableSkeleton } from "#ui/skeleton.tsx";

/** The round trips behind the figures, each with its trades: a page of them at a time. */
export function TripsPanel({ filters }: { filters: Filters }) {
  const [params, setParams] = useSearchParams();
  const behind = parseBehind(params);
  const [sort, setSort] = useState<TripSort>("-closed");
  const { trips, total, stale, query } = useTrips(behindQuery(filters, behind), sort);
  const panel = useArrivalAt(TRIPS, query.data !== undefined);

  return (
    <div ref={panel} className="scroll-mt-36">
      <Panel
        id={TRIPS}
        title={title(behind, total)}
        text="What one closing took out of a position, first in, first out. Each opens on its trades and its charges."
        tools={
          <>
            {behind.kind !== "all" && (
              <Button
                variant="secondary"
                size="sm"
                icon={<X size={15} aria-hidden />}
                onClick={() =>
                  setParams((now) => writeBehind(now, { kind: "all" }), { preventScrollReset: true })
                }
                className="px-3! text-data!"
              >
                Show all round trips
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
              <TableSkeleton label="Loading round trips" />
            )}
          </div>
        )}
        {query.data && (
          <div
            aria-busy={stale}
            className={stale ? "opacity-60 transition-opacity delay-200 duration-120" : ""}
          >
            <TripList trips={trips} />
            <div className="flex flex-wrap items-center justify-between gap-3 border-line border-t px-4 py-3 sm:px-6">
              <p role="status" className="text-data text-ink-2">
                {`${count(trips.length)} of ${plural(total, "round trip")}`}
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

function title(behind: Behind, total: number): string {
  const name = behindName(behind);
  if (behind.kind === "trip") return name;
  return name ? `${name}: ${plural(total, "round trip")}` : "Round trips";
}

function SortChoice({ sort, onChange }: { sort: TripSort; onChange: (sort: TripSort) => void }) {
  return (
    <ChoiceFilter
      label="Order"
      value={sort}
      options={TRIP_SORTS}
      required
      onChange={(value) => onChange(value || "-closed")}
    />
  );
}

function TripList({ trips }: { trips: readonly Trip[] }) {
  if (trips.length === 0)
    return (
      <p className="px-4 pb-6 text-ink-2 text-ui sm:px-6">
        No round trip fits. Show all, or change the filters.
      </p>
    );
  return (
    <ul className="border-line border-t">
      {trips.map((trip) => (
        <TripEntry key={trip.id} trip={trip} />
      ))}
    </ul>
  );
}
