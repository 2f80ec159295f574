import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useMemo, useState } from "react";
import type { JournalEntry } from "#features/trader-journal/journal-entry.ts";
import { loadQueuePage, type QueueItem } from "#features/trader-journal/review-queue.ts";

/** Not a path of the journal: saving an entry must not load the queue again, because reviewed positions stay in it. */
const QUERY_KEY = ["review queue"];

/** Closed positions that are not reviewed, the last closed first, and those reviewed on this page. */
export function useReviewQueue() {
  const client = useQueryClient();
  const pages = useInfiniteQuery({
    queryKey: QUERY_KEY,
    queryFn: ({ pageParam }) => loadQueuePage(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  /** Entries saved on this page, by key. */
  const [saved, setSaved] = useState<ReadonlyMap<string, JournalEntry>>(new Map());
  const record = useCallback((entries: readonly JournalEntry[]) => {
    setSaved((current) => new Map([...current, ...entries.map((entry) => [entry.key, entry] as const)]));
  }, []);

  const all = useMemo(() => pages.data?.pages.flatMap(({ items }) => items) ?? [], [pages.data]);
  // What was unreviewed when it was loaded stays in the list, so that the trader can go back.
  const items = useMemo(() => all.filter(({ entry }) => !entry?.reviewed), [all]);
  const current = (item: QueueItem) => saved.get(item.position.id) ?? item.entry;
  const done = items.filter((item) => current(item)?.reviewed).length;
  return {
    pages,
    items,
    current,
    record,
    done,
    loaded: all.length,
    total: pages.data?.pages[0]?.total ?? 0,
    reload: () => client.resetQueries({ queryKey: QUERY_KEY }),
  };
}

export type ReviewQueue = ReturnType<typeof useReviewQueue>;
