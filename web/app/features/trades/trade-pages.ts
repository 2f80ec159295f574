import { infiniteQueryOptions, type QueryClient } from "@tanstack/react-query";
import { type LogView, viewQuery } from "#features/trades/log-view.ts";
import { api, retryAfter, type Schemas } from "#lib/api.ts";

export type Trade = Schemas["Trade"];
export type TradePage = Schemas["ClientRecord"];

export const PAGE = 500;
const KEY = ["get", "/trades/client"] as const;
/** Views that are no longer looked at are forgotten soon: each may hold all trades. */
const FORGET = 30_000;

/**
 * The log in pages by cursor, one after the other; the server filters and sorts. Asked for once in a session:
 * nothing but a change of the trades makes it old.
 */
export function tradePages(email: string, view: LogView) {
  const query = { email, limit: PAGE, ...viewQuery(view) };
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

type Query = ReturnType<typeof viewQuery> & { email: string; limit: number; cursor?: string };

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

/** After an import: every view begins anew, with its first page. */
export function forgetTrades(client: QueryClient): Promise<void> {
  return client.resetQueries({ queryKey: KEY });
}

export type LoadedTrades = {
  trades: readonly Trade[];
  /** Rows of the view, loaded or not. */
  rows: number;
};

/** The pages as one list. While more follow the server's total says how long it gets; at the end it has told. */
export function joinPages(pages: readonly TradePage[], more: boolean): LoadedTrades {
  const trades = pages.flatMap((page) => page.trades);
  const total = pages.at(-1)?.total ?? 0;
  return { trades, rows: more ? Math.max(total, trades.length + 1) : trades.length };
}
