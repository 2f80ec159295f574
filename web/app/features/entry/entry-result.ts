import { toPriceUnits, UNITS_PER_RUPEE } from "#lib/price-units.ts";

export type ResultFields = { buyPrice: string; sellPrice: string; quantity: string };

/**
 * Calculates the profit or loss of an entry in rupees: quantity × (sell − buy), for long and short trades. Calculates in
 * whole 1/10,000 rupees. Returns undefined until all three values are valid.
 */
export function entryResult({ buyPrice, sellPrice, quantity }: ResultFields): number | undefined {
  const [buy, sell] = [toPriceUnits(buyPrice), toPriceUnits(sellPrice)];
  if (buy === undefined || sell === undefined || !/^\d{1,9}$/.test(quantity.trim())) return undefined;
  return Number((sell - buy) * BigInt(quantity.trim())) / UNITS_PER_RUPEE;
}
