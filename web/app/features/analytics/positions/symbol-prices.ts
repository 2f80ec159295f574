import { instrumentKey, type OpenPosition } from "#features/analytics/positions/price-file.ts";
import { type Prices, parsePrice } from "#features/analytics/positions/valuation.ts";

/** Maximum number of prices in one request. */
const MAX_PRICES = 200;

/** Returns prices such as "INFY:1450.25,TCS:3000" for the positions that have one. */
export function symbolPrices(positions: readonly OpenPosition[], prices: Prices): string {
  const bySymbol = new Map<string, number>();
  for (const position of positions) {
    const price = parsePrice(prices[instrumentKey(position)]?.text ?? "");
    if (price !== undefined) bySymbol.set(position.symbol, price);
  }
  return [...bySymbol]
    .slice(0, MAX_PRICES)
    .map(([symbol, price]) => `${symbol}:${price}`)
    .join(",");
}
