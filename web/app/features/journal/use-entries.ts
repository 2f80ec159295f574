import { useInfiniteQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { entryPages, joinEntryPages } from "#features/journal/entries.ts";
import type { EntryType } from "#features/journal/entry-types.ts";

export function useEntries(account: string, type: EntryType) {
  const { data, error, isFetching, hasNextPage, fetchNextPage, refetch } = useInfiniteQuery(
    entryPages(account, type),
  );
  const list = useMemo(() => (data ? joinEntryPages(data.pages) : undefined), [data]);
  return {
    /** Undefined until the first page has loaded. */
    list,
    error,
    busy: isFetching,
    /** Loads the next page; undefined if everything has loaded. */
    more: hasNextPage ? () => void fetchNextPage() : undefined,
    retry: () => void (data ? fetchNextPage() : refetch()),
  };
}

export type EntriesState = ReturnType<typeof useEntries>;
