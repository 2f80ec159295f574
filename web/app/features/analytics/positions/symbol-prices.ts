import { instrumentKey, type OpenPosition } from "#features/analytics/positions/price-file.ts";
import { type Prices, parsePrice } from "#features/analytics/positions/valuation.ts";

/** Maximum number of prices in one request. */
const MAX_PRICES = 200;
/** Maximum length of all prices in one request. */
const MAX_LENGTH = 4000;

/** Returns prices such as "INFY:1450.25,TCS:3000" for the positions that have one. */
export function symbolPrices(positions: readonly OpenPosition[], prices: Prices): string {
  const bySymbol = new Map<string, number>();
  for (const position of positions) {
    const price = parsePrice(prices[instrumentKey(position)]?.text ?? "");
    if (price !== undefined) bySymbol.set(position.symbol, price);
  }
  let text = "";
  for (const [symbol, price] of [...bySymbol].slice(0, MAX_PRICES)) {
    const longer = `${text}${text && ","}${symbol}:${price}`;
    if (longer.length <= MAX_LENGTH) text = longer;
  }
  return text;
}
