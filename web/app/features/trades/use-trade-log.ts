import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import type { LogView } from "#features/trades/log-view.ts";
import { joinPages, type LoadedTrades, tradePages } from "#features/trades/trade-pages.ts";

export type TradeList = LoadedTrades & {
  /** Asks for pages, one at a time, until this row is there. Changes when there is reason to ask again. */
  reach: (row: number) => void;
};

/** One view of the log: what of it is loaded, and the means to load more. */
export function useTradeLog(email: string, view: LogView, enabled: boolean) {
  const query = useInfiniteQuery({
    ...tradePages(email, view),
    enabled,
    // The rows stay until those of the next view have come.
    placeholderData: keepPreviousData,
  });
  const { data, hasNextPage, isFetching, isFetchNextPageError, isPlaceholderData, fetchNextPage } = query;

  const loaded = useMemo(() => joinPages(data?.pages ?? [], hasNextPage), [data, hasNextPage]);
  const ready = hasNextPage && !isFetching && !isFetchNextPageError;
  const count = loaded.trades.length;
  const reach = useCallback(
    (row: number) => {
      if (ready && row >= count) void fetchNextPage({ cancelRefetch: false });
    },
    [ready, count, fetchNextPage],
  );
  const list = useMemo<TradeList>(() => ({ ...loaded, reach }), [loaded, reach]);

  return {
    list: data ? list : undefined,
    /** The rows are still those of the view before. */
    stale: isPlaceholderData,
    busy: isFetching,
    /** The first page did not come; or a later one, while the loaded rows stay. */
    error: query.error,
    retry: () => void (data && !isPlaceholderData ? fetchNextPage() : query.refetch()),
  };
}
