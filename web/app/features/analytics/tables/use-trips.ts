import { keepPreviousData } from "@tanstack/react-query";
import { useMemo } from "react";
import { FRESH } from "#features/analytics/analytics-api.ts";
import type { behindQuery } from "#features/analytics/filters/analytics-view.ts";
import { useReader } from "#features/analytics/reader.ts";
import { $api } from "#lib/api-query.ts";

export const TRIP_SORTS = [
  { value: "-closed", label: "Closed last" },
  { value: "closed", label: "Closed first" },
  { value: "-net", label: "Best first" },
  { value: "net", label: "Worst first" },
  { value: "-charges", label: "Highest charges" },
  { value: "symbol", label: "Symbols A to Z" },
] as const;

export type TripSort = (typeof TRIP_SORTS)[number]["value"];

const PAGE = 25;

/** The round trips behind a figure, as far as they were asked for. */
export function useTrips(filter: ReturnType<typeof behindQuery>, sort: TripSort) {
  const reader = useReader();
  const query = $api.useInfiniteQuery(
    "get",
    "/analytics/round-trips",
    { params: { query: { limit: PAGE, sort, ...filter } }, ...reader.init },
    {
      ...FRESH,
      pageParamName: "cursor",
      initialPageParam: undefined,
      getNextPageParam: (page) => page.nextCursor,
      placeholderData: keepPreviousData,
    },
  );
  const trips = useMemo(() => query.data?.pages.flatMap(({ roundTrips }) => roundTrips) ?? [], [query.data]);
  return { trips, total: query.data?.pages[0]?.total ?? 0, stale: query.isPlaceholderData, query };
}
