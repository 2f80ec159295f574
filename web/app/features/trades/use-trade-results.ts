import { useQueries } from "@tanstack/react-query";
import type { Trade } from "#features/trades/trade-pages.ts";
import { $api } from "#lib/api-query.ts";
import type { paths } from "#lib/api-schema.d.ts";

type Reply = paths["/analytics/trade-results"]["get"]["responses"][200]["content"]["application/json"];
export type TradeResult = Reply["results"][number];

/** Number of trades in one request. */
const CHUNK = 100;
const TTL_MS = 60_000;

/** Returns the results of the trades near the visible rows by trade id; a trade is absent while its result loads. */
export function useTradeResults(
  trades: readonly Trade[],
  firstRow: number,
  lastRow: number,
): ReadonlyMap<string, TradeResult | null> {
  return useQueries({
    queries: chunkIds(trades, firstRow, lastRow).map((ids) => ({
      ...$api.queryOptions("get", "/analytics/trade-results", { params: { query: { ids } } }),
      staleTime: TTL_MS,
    })),
    combine: (queries) => {
      const results = new Map<string, TradeResult | null>();
      for (const [index, { data }] of queries.entries()) {
        if (!data) continue;
        for (const id of chunkIds(trades, firstRow, lastRow)[index]?.split(",") ?? []) results.set(id, null);
        for (const result of data.results) results.set(result.tradeId, result);
      }
      return results;
    },
  });
}

/** Returns the ids of the chunks of trades that the rows belong to, each separated by commas. */
export function chunkIds(trades: readonly Trade[], firstRow: number, lastRow: number): string[] {
  const chunks: string[] = [];
  for (let at = Math.floor(firstRow / CHUNK) * CHUNK; at <= lastRow && at < trades.length; at += CHUNK)
    chunks.push(
      trades
        .slice(at, at + CHUNK)
        .map(({ _id }) => _id)
        .join(","),
    );
  return chunks;
}
