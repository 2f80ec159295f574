import {
  type InfiniteData,
  infiniteQueryOptions,
  type QueryClient,
  type QueryKey,
} from "@tanstack/react-query";
import type { Book } from "#content/books.ts";
import { type LogView, viewQuery } from "#features/trades/log-view.ts";
import { api, retryAfter, type Schemas } from "#lib/api.ts";

export type Trade = Schemas["Trade"];
export type TradePage = Schemas["ClientRecord"];

export const PAGE = 500;
const KEY = ["get", "/trades/client"] as const;
const UNFILTERED: ReadonlySet<string> = new Set(["email", "limit", "sort"]);
/** Views that are no longer looked at are forgotten soon: each may hold all trades. */
const FORGET = 30_000;

/**
 * The log in pages by cursor, one after the other; the server filters and sorts. Asked for once in a session:
 * nothing but a change of the trades makes it old.
 */
export function tradePages(email: string, view: LogView) {
  return pagesOf({ email, limit: PAGE, ...viewQuery(view) });
}

/** The trades of a book that were written down by hand, newest first. */
export function manualPages(email: string, book: Book) {
  return pagesOf({ email, limit: PAGE, ...book, manual: true });
}

function pagesOf(query: Omit<Query, "cursor">) {
  return infiniteQueryOptions({
    queryKey: [...KEY, query],
    queryFn: ({ pageParam, signal }) =>
      fetchPage({ ...query, ...(pageParam && { cursor: pageParam }) }, signal),
    initialPageParam: "",
    getNextPageParam: (page) => page.nextCursor,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: FORGET,
  });
}

type Query = ReturnType<typeof viewQuery> & {
  email: string;
  limit: number;
  cursor?: string;
  manual?: boolean;
};

async function fetchPage(query: Query, signal: AbortSignal): Promise<TradePage> {
  for (;;) {
    const { data, error, response } = await api.GET("/trades/client", { params: { query }, signal });
    if (data) return data;
    // A long way through a big log may be faster than the server lets one go: wait as it says, and go on.
    const { status } = response;
    if (status !== 429) throw error || new Error(`The server answered ${status}.`);
    await pause(retryAfter(response) ?? 2, signal);
  }
}

function pause(seconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, seconds * 1_000);
    signal.addEventListener("abort", stop, { once: true });
  });
}

type Pages = InfiniteData<TradePage, string>;

/** A trade that is loaded in any view. */
export function findTrade(client: QueryClient, id: string): Trade | undefined {
  for (const [, data] of client.getQueriesData<Pages>({ queryKey: KEY })) {
    for (const page of data?.pages ?? []) {
      const found = page.trades.find((trade) => trade._id === id);
      if (found) return found;
    }
  }
  return undefined;
}

/** A corrected trade stands where it stood, so that nobody loses the place; other views begin anew. */
export function putTrade(client: QueryClient, changed: Trade): void {
  changePages(client, (trades) => trades.map((trade) => (trade._id === changed._id ? changed : trade)));
}

/**
 * Takes deleted trades out of what is loaded; the place in the log stays here, too. The whole log is as long as the
 * server says: the other leg of an entry may be on a page that has not come. A filtered view counts what it had.
 */
export function dropTrades(client: QueryClient, gone: (trade: Trade) => boolean, total: number): void {
  changePages(client, (trades) => trades.filter((trade) => !gone(trade)), total);
}

function changePages(client: QueryClient, change: (trades: Trade[]) => Trade[], total?: number): void {
  client.removeQueries({ queryKey: KEY, type: "inactive" });
  for (const [key, data] of client.getQueriesData<Pages>({ queryKey: KEY })) {
    if (!data) continue;
    // A page on its way would bring the others back as they were when it was asked for.
    void client.cancelQueries({ queryKey: key, exact: true });
    const pages = data.pages.map((page) => ({ ...page, trades: change(page.trades) }));
    const before = data.pages.at(-1)?.total ?? 0;
    const left = total !== undefined && isWhole(key) ? total : before - loaded(data.pages) + loaded(pages);
    client.setQueryData<Pages>(key, { ...data, pages: pages.map((page) => ({ ...page, total: left })) });
  }
}

/** A view without filters, in whichever order. */
function isWhole([, , query]: QueryKey): boolean {
  return Object.keys(query ?? {}).every((name) => UNFILTERED.has(name));
}

function loaded(pages: readonly TradePage[]): number {
  return tradesOf(pages).length;
}

/** After an import: every view begins anew, with its first page. */
export function forgetTrades(client: QueryClient): Promise<void> {
  return client.resetQueries({ queryKey: KEY });
}

export type LoadedTrades = {
  trades: readonly Trade[];
  /** Rows of the view, loaded or not. */
  rows: number;
};

/** A trade that was corrected stays where it stood, and may come once more on the page of its new place. */
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

/** The pages as one list. While more follow the server's total says how long it gets; at the end it has told. */
export function joinPages(pages: readonly TradePage[], more: boolean): LoadedTrades {
  const trades = tradesOf(pages);
  const total = pages.at(-1)?.total ?? 0;
  return { trades, rows: more ? Math.max(total, trades.length + 1) : trades.length };
}
