import { keepPreviousData } from "@tanstack/react-query";
import { useMemo } from "react";
import { FRESH } from "#features/analytics/analytics-api.ts";
import type { drilldownQuery } from "#features/analytics/filters/analytics-view.ts";
import { useViewer } from "#features/analytics/viewer.ts";
import { $api } from "#lib/api-query.ts";

export const CLOSED_TRADE_SORTS = [
  { value: "-closed", label: "Newest first" },
  { value: "closed", label: "Oldest first" },
  { value: "-net", label: "Highest profit" },
  { value: "net", label: "Highest loss" },
  { value: "-charges", label: "Highest charges" },
  { value: "symbol", label: "Symbols A to Z" },
] as const;

export type ClosedTradeSort = (typeof CLOSED_TRADE_SORTS)[number]["value"];

const PAGE = 25;

/** Loads the closed trades that match the query, page by page. */
export function useClosedTrades(filter: ReturnType<typeof drilldownQuery>, sort: ClosedTradeSort) {
  const viewer = useViewer();
  const query = $api.useInfiniteQuery(
    "get",
    "/analytics/closed-trades",
    { params: { query: { limit: PAGE, sort, ...filter } }, ...viewer.requestInit },
    {
      ...FRESH,
      pageParamName: "cursor",
      initialPageParam: undefined,
      getNextPageParam: (page) => page.nextCursor,
      placeholderData: keepPreviousData,
    },
  );
  const closedTrades = useMemo(
    () => query.data?.pages.flatMap(({ closedTrades }) => closedTrades) ?? [],
    [query.data],
  );
  return { closedTrades, total: query.data?.pages[0]?.total, query };
}
