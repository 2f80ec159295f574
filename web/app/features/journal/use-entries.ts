import { useInfiniteQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { entryPages, joinPages } from "#features/journal/entries.ts";
import type { Kind } from "#features/journal/kinds.ts";

export function useEntries(account: string, kind: Kind) {
  const { data, error, isFetching, hasNextPage, fetchNextPage, refetch } = useInfiniteQuery(
    entryPages(account, kind),
  );
  const list = useMemo(() => (data ? joinPages(data.pages) : undefined), [data]);
  return {
    /** Undefined until the first page is there. */
    list,
    error,
    busy: isFetching,
    /** Undefined where everything is there. */
    more: hasNextPage ? () => void fetchNextPage() : undefined,
    retry: () => void (data ? fetchNextPage() : refetch()),
  };
}

export type EntriesState = ReturnType<typeof useEntries>;
