import type { QueryClient } from "@tanstack/react-query";
import { reloadBookSizes } from "#features/entry/book-sizes.ts";
import { reloadTrades } from "#features/trades/trade-pages.ts";

/** Loads the log, the results and the sizes of the books again, after trades were added. */
export function reloadAddedTrades(client: QueryClient): void {
  void reloadBookSizes(client);
  void reloadTrades(client);
}
