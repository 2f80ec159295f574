import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import type { LogView } from "#features/trades/log-view.ts";
import { joinPages, type LoadedTrades, tradePages } from "#features/trades/trade-pages.ts";

export type TradeList = LoadedTrades & {
  /** Loads the next page if this row is not loaded yet. The function changes after each page, to be called again. */
  loadUpTo: (row: number) => void;
};

/** Loads a view of the log page by page. */
export function useTradeLog(email: string, view: LogView, enabled: boolean) {
  const query = useInfiniteQuery({
    ...tradePages(email, view),
    enabled,
    // The rows stay until those of the next view are loaded.
    placeholderData: keepPreviousData,
  });
  const { data, hasNextPage, isFetching, isFetchNextPageError, isPlaceholderData, fetchNextPage } = query;

  const loaded = useMemo(() => joinPages(data?.pages ?? [], hasNextPage), [data, hasNextPage]);
  const ready = hasNextPage && !isFetching && !isFetchNextPageError;
  const count = loaded.trades.length;
  const loadUpTo = useCallback(
    (row: number) => {
      if (ready && row >= count) void fetchNextPage({ cancelRefetch: false });
    },
    [ready, count, fetchNextPage],
  );
  const list = useMemo<TradeList>(() => ({ ...loaded, loadUpTo }), [loaded, loadUpTo]);

  return {
    list: data ? list : undefined,
    /** True while the rows of the previous view are shown. */
    stale: isPlaceholderData,
    busy: isFetching,
    /** Error of the first page, or of a later page while the loaded rows stay. */
    error: query.error,
    retry: () => void (data && !isPlaceholderData ? fetchNextPage() : query.refetch()),
  };
}
