import {
  type InfiniteData,
  infiniteQueryOptions,
  type QueryClient,
  type QueryKey,
} from "@tanstack/react-query";
import { type LogView, viewQuery } from "#features/trades/log-view.ts";
import { api, type Schemas } from "#lib/api.ts";
import type { Book } from "#lib/books.ts";
import { sendPatiently } from "#lib/send-patiently.ts";

export type Trade = Schemas["Trade"];
export type TradePage = Schemas["ClientRecord"];

const PAGE_SIZE = 500;
const KEY = ["get", "/trades/client"] as const;
const UNFILTERED: ReadonlySet<string> = new Set(["email", "limit", "sort"]);
/** Cache time of views that are not shown; short, because each may contain all trades. */
const UNUSED_VIEW_TTL_MS = 30_000;

/**
 * Query for a view of the log, loaded in pages by cursor; the server filters and sorts. It never becomes stale: the
 * cache is updated when trades change.
 */
export function tradePages(email: string, view: LogView) {
  return pagesOf({ email, limit: PAGE_SIZE, ...viewQuery(view) });
}

/** Query for the manual entries of a book, newest first. */
export function manualPages(email: string, book: Book) {
  return pagesOf({ email, limit: PAGE_SIZE, ...book, manual: true });
}

function pagesOf(query: Omit<Query, "cursor">) {
  return infiniteQueryOptions({
    queryKey: [...KEY, query],
    queryFn: ({ pageParam, signal }) =>
      fetchPage({ ...query, ...(pageParam && { cursor: pageParam }) }, signal),
    initialPageParam: "",
    getNextPageParam: (page) => page.nextCursor,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: UNUSED_VIEW_TTL_MS,
  });
}

type Query = ReturnType<typeof viewQuery> & {
  email: string;
  limit: number;
  cursor?: string;
  manual?: boolean;
};

/** Fetches a page. Scrolling fast through a large log can exceed the rate limit. */
function fetchPage(query: Query, signal: AbortSignal): Promise<TradePage> {
  return sendPatiently(() => api.GET("/trades/client", { params: { query }, signal }), signal);
}

type Pages = InfiniteData<TradePage, string>;

/** Finds a trade in the loaded pages of any view. */
export function findTrade(client: QueryClient, id: string): Trade | undefined {
  for (const [, data] of client.getQueriesData<Pages>({ queryKey: KEY })) {
    for (const page of data?.pages ?? []) {
      const match = page.trades.find((trade) => trade._id === id);
      if (match) return match;
    }
  }
  return undefined;
}

/** Loads the results of trades again; a change of one trade can change those of others. */
function reloadResults(client: QueryClient): Promise<void> {
  return client.invalidateQueries({ queryKey: ["get", "/analytics/trade-results"] });
}

/** Replaces an edited trade in its position, so that the list does not jump; other views load again. */
export function replaceTrade(client: QueryClient, changed: Trade): void {
  changePages(client, (trades) => trades.map((trade) => (trade._id === changed._id ? changed : trade)));
}

/**
 * Removes deleted trades from the loaded pages; the list keeps its position. For the whole log `total` is the new
 * total, because the other leg of an entry may be on a page that is not loaded. A filtered view subtracts the removed
 * trades.
 */
export function removeTrades(client: QueryClient, isDeleted: (trade: Trade) => boolean, total: number): void {
  changePages(client, (trades) => trades.filter((trade) => !isDeleted(trade)), total);
}

function changePages(client: QueryClient, change: (trades: Trade[]) => Trade[], total?: number): void {
  client.removeQueries({ queryKey: KEY, type: "inactive" });
  void reloadResults(client);
  for (const [key, data] of client.getQueriesData<Pages>({ queryKey: KEY })) {
    if (!data) continue;
    // A page that is still loading would overwrite the others with their state before the change.
    void client.cancelQueries({ queryKey: key, exact: true });
    const pages = data.pages.map((page) => ({ ...page, trades: change(page.trades) }));
    const before = data.pages.at(-1)?.total ?? 0;
    const remaining =
      total !== undefined && isWholeLog(key) ? total : before - countTrades(data.pages) + countTrades(pages);
    client.setQueryData<Pages>(key, { ...data, pages: pages.map((page) => ({ ...page, total: remaining })) });
  }
}

/** Returns true for a view without filters, in any order. */
function isWholeLog([, , query]: QueryKey): boolean {
  return Object.keys(query ?? {}).every((name) => UNFILTERED.has(name));
}

function countTrades(pages: readonly TradePage[]): number {
  return tradesOf(pages).length;
}

/** Loads every view again from its first page. */
export function reloadTrades(client: QueryClient): Promise<void> {
  void reloadResults(client);
  return client.resetQueries({ queryKey: KEY });
}

export type LoadedTrades = {
  trades: readonly Trade[];
  /** Number of rows of the view, loaded or not. */
  rows: number;
};

/** Returns the trades of all pages without duplicates: an edited trade keeps its position, and may be loaded again. */
function tradesOf(pages: readonly TradePage[]): Trade[] {
  const seen = new Set<string>();
  return pages.flatMap(({ trades }) =>
    trades.filter(({ _id }) => {
      const first = !seen.has(_id);
      seen.add(_id);
      return first;
    }),
  );
}

/** Joins the pages to one list. Its length is the server's total until the last page is loaded. */
export function joinPages(pages: readonly TradePage[], more: boolean): LoadedTrades {
  const trades = tradesOf(pages);
  const total = pages.at(-1)?.total ?? 0;
  return { trades, rows: more ? Math.max(total, trades.length + 1) : trades.length };
}
