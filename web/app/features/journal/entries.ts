import { type InfiniteData, infiniteQueryOptions, type QueryClient } from "@tanstack/react-query";
import type { EntryType } from "#features/journal/entry-types.ts";
import { api, type Schemas } from "#lib/api.ts";

export type Entry = Schemas["Entry"];

type EntryPage = NonNullable<Awaited<ReturnType<typeof getPage>>["data"]>;
type Pages = InfiniteData<EntryPage, string>;

/** Number of entries per page. */
const PAGE_SIZE = 100;
const KEY = "journal";

/** Query options for the entries of one type, newest first, with cursor pages. The session or cookie decides whose. */
export function entryPages(account: string, type: EntryType) {
  return infiniteQueryOptions({
    queryKey: [KEY, account, type],
    queryFn: async ({ pageParam, signal }) => {
      const { data, error } = await getPage(type, pageParam, signal);
      if (data) return data;
      throw error;
    },
    initialPageParam: "",
    getNextPageParam: (page) => page.nextCursor,
  });
}

function getPage(type: EntryType, cursor: string, signal: AbortSignal) {
  const query = { limit: PAGE_SIZE, ...(cursor && { cursor }) };
  return api.GET(type === "intraday" ? "/trades/intraday" : "/trades/equity", { params: { query }, signal });
}

/** Joins the loaded pages. The totals cover all entries; every page has them, and the last page has the latest. */
export function joinEntryPages(pages: readonly EntryPage[]) {
  const { total = 0, pnl = 0, wins = 0, anonymous = false } = pages.at(-1) ?? {};
  return { entries: pages.flatMap((page) => page.data), total, pnl, wins, anonymous };
}

export type EntryList = ReturnType<typeof joinEntryPages>;

/** Adds a stored entry at the top and to the totals. An entry that is already there, after a retry, is not added again. */
export function prependEntry(client: QueryClient, account: string, entry: Entry): void {
  const { queryKey } = entryPages(account, entry.type);
  client.setQueryData<Pages>(queryKey, (loaded) => withEntry(loaded, entry, account));
}

export function withEntry(loaded: Pages | undefined, entry: Entry, account: string): Pages | undefined {
  if (!loaded || loaded.pages.some((page) => page.data.some(({ id }) => id === entry.id))) return loaded;
  const pages = loaded.pages.map((page, index) => ({
    ...page,
    data: index === 0 ? [entry, ...page.data] : page.data,
    total: page.total + 1,
    // In whole paise, because a sum of decimals has rounding errors.
    pnl: (Math.round(page.pnl * 100) + Math.round(entry.pnl * 100)) / 100,
    wins: page.wins + (entry.status === "WIN" ? 1 : 0),
    // Without an account the entry is in the journal of this browser.
    anonymous: page.anonymous || account === "",
  }));
  return { ...loaded, pages };
}

export function resetEntries(client: QueryClient): Promise<void> {
  return client.resetQueries({ queryKey: [KEY] });
}
