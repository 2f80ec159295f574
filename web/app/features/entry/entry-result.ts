const DECIMALS = 4;

/** Converts a price to whole 1/10,000 rupees, without rounding errors; undefined if it is invalid. */
function toUnits(price: string): bigint | undefined {
  const [, whole = "", part = ""] = /^(\d{0,11})(?:\.(\d{0,4}))?$/.exec(price.trim()) ?? [];
  return whole + part === "" ? undefined : BigInt(whole + part.padEnd(DECIMALS, "0"));
}

export type ResultFields = { buyPrice: string; sellPrice: string; quantity: string };

/**
 * Calculates the profit or loss of an entry in rupees: quantity × (sell − buy), for long and short trades. Calculates in
 * whole 1/10,000 rupees. Returns undefined until all three values are valid.
 */
export function entryResult({ buyPrice, sellPrice, quantity }: ResultFields): number | undefined {
  const [buy, sell] = [toUnits(buyPrice), toUnits(sellPrice)];
  if (buy === undefined || sell === undefined || !/^\d{1,9}$/.test(quantity.trim())) return undefined;
  return Number((sell - buy) * BigInt(quantity.trim())) / 10 ** DECIMALS;
}
