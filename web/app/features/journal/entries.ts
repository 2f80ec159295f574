import { type InfiniteData, infiniteQueryOptions, type QueryClient } from "@tanstack/react-query";
import type { Kind } from "#features/journal/kinds.ts";
import { api, type Schemas } from "#lib/api.ts";

export type Entry = Schemas["Entry"];

type EntryPage = NonNullable<Awaited<ReturnType<typeof getPage>>["data"]>;
type Pages = InfiniteData<EntryPage, string>;

/** What one press on Show more brings. */
export const PAGE = 100;
const KEY = "journal";

/** The entries of one kind, the newest first, in pages by cursor. Who reads them decides whose journal it is. */
export function entryPages(account: string, kind: Kind) {
  return infiniteQueryOptions({
    queryKey: [KEY, account, kind],
    queryFn: async ({ pageParam, signal }) => {
      const { data, error } = await getPage(kind, pageParam, signal);
      if (data) return data;
      throw error;
    },
    initialPageParam: "",
    getNextPageParam: (page) => page.nextCursor,
  });
}

function getPage(kind: Kind, cursor: string, signal: AbortSignal) {
  const query = { limit: PAGE, ...(cursor && { cursor }) };
  return api.GET(kind === "intraday" ? "/trades/intraday" : "/trades/equity", { params: { query }, signal });
}

/** The pages as one list, with the totals of all entries, loaded or not. Every page tells them; the last one newest. */
export function joinPages(pages: readonly EntryPage[]) {
  const { total = 0, pnl = 0, wins = 0, anonymous = false } = pages.at(-1) ?? {};
  return { entries: pages.flatMap((page) => page.data), total, pnl, wins, anonymous };
}

export type EntryList = ReturnType<typeof joinPages>;

/** Puts a stored entry before all others, and into the totals. The same one twice, after a lost answer, counts once. */
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
    // In whole paise: a sum of decimals would drift.
    pnl: (Math.round(page.pnl * 100) + Math.round(entry.pnl * 100)) / 100,
    wins: page.wins + (entry.status === "WIN" ? 1 : 0),
    // Whoever has no account has just written in a journal of this browser.
    anonymous: page.anonymous || account === "",
  }));
  return { ...loaded, pages };
}

export function forgetEntries(client: QueryClient): Promise<void> {
  return client.resetQueries({ queryKey: [KEY] });
}
