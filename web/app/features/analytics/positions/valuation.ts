import { type DayPrices, instrumentKey } from "#features/analytics/positions/price-file.ts";
import type { Schemas } from "#lib/api.ts";
import { plainNumber } from "#lib/typed-number.ts";

type OpenPosition = Schemas["OpenPosition"];

/** Price of an instrument, and the day of the file that states it; none for a typed price. */
type Price = { text: string; day?: string };

/** Prices by the keys of their instruments. */
export type Prices = Record<string, Price>;

/** Returns the price in rupees of a typed text; undefined if it is none. */
export function parsePrice(text: string): number | undefined {
  const plain = plainNumber(text);
  return /^\d{1,9}(\.\d{1,4})?$/.test(plain) ? Number(plain) : undefined;
}

/** Adds the prices of a file. Typed prices stay, and those of an older file replace none. */
export function addDayPrices(prices: Prices, { day, prices: ofDay }: DayPrices): Prices {
  const added = { ...prices };
  for (const [key, price] of Object.entries(ofDay)) {
    const present = added[key];
    const isTyped = present && present.day === undefined && parsePrice(present.text) !== undefined;
    if (isTyped || (present?.day ?? "") > day) continue;
    added[key] = { text: String(price), day };
  }
  return added;
}

/** Value of a position and its result if it were closed at that price, before charges. */
export type Valuation = { value: number; result: number };

export function valuationOf(position: OpenPosition, prices: Prices): Valuation | undefined {
  const price = parsePrice(prices[instrumentKey(position)]?.text ?? "");
  if (price === undefined) return undefined;
  const value = Math.round(price * position.quantity * 100) / 100;
  const gain = value - position.value;
  return { value, result: Math.round((position.side === "long" ? gain : 0 - gain) * 100) / 100 };
}

/** Sum of the valued positions, and their number. */
export type Total = { count: number; result: number };

export function totalOf(positions: readonly OpenPosition[], prices: Prices): Total {
  const valuations = positions.flatMap((position) => valuationOf(position, prices) ?? []);
  const result = valuations.reduce((sum, valuation) => sum + valuation.result, 0);
  return { count: valuations.length, result: Math.round(result * 100) / 100 };
}

/** Returns the days of the files that the prices are from, the oldest first. */
export function priceDays(positions: readonly OpenPosition[], prices: Prices): string[] {
  const days = positions.flatMap((position) => prices[instrumentKey(position)]?.day ?? []);
  return [...new Set(days)].toSorted();
}
