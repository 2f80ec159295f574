import { keepPreviousData } from "@tanstack/react-query";
import { useMemo } from "react";
import { FRESH } from "#features/analytics/analytics-api.ts";
import type { behindQuery } from "#features/analytics/filters/analytics-view.ts";
import { useReader } from "#features/analytics/reader.ts";
import { $api } from "#lib/api-query.ts";

export const CLOSED_TRADE_SORTS = [
  { value: "-closed", label: "Closed last" },
  { value: "closed", label: "Closed first" },
  { value: "-net", label: "Best first" },
  { value: "net", label: "Worst first" },
  { value: "-charges", label: "Highest charges" },
  { value: "symbol", label: "Symbols A to Z" },
] as const;

export type ClosedTradeSort = (typeof CLOSED_TRADE_SORTS)[number]["value"];

const PAGE = 25;

/** The closed trades behind a figure, as far as they were asked for. */
export function useClosedTrades(filter: ReturnType<typeof behindQuery>, sort: ClosedTradeSort) {
  const reader = useReader();
  const query = $api.useInfiniteQuery(
    "get",
    "/analytics/closed-trades",
    { params: { query: { limit: PAGE, sort, ...filter } }, ...reader.init },
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
  return { closedTrades, total: query.data?.pages[0]?.total ?? 0, stale: query.isPlaceholderData, query };
}
