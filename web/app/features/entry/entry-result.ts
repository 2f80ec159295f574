const DECIMALS = 4;

/** A price in whole 1/10,000 rupees, exactly; undefined while the field holds none. */
function units(price: string): bigint | undefined {
  const [, whole = "", part = ""] = /^(\d{0,11})(?:\.(\d{0,4}))?$/.exec(price.trim()) ?? [];
  return whole + part === "" ? undefined : BigInt(whole + part.padEnd(DECIMALS, "0"));
}

export type ResultFields = { buyPrice: string; sellPrice: string; quantity: string };

/**
 * What an entry won or lost, in rupees: quantity × (sell − buy), for a long trade as for a short one. Reckoned in
 * whole 1/10,000 rupees. Undefined until all three figures are there.
 */
export function entryResult({ buyPrice, sellPrice, quantity }: ResultFields): number | undefined {
  const [buy, sell] = [units(buyPrice), units(sellPrice)];
  if (buy === undefined || sell === undefined || !/^\d{1,9}$/.test(quantity.trim())) return undefined;
  return Number((sell - buy) * BigInt(quantity.trim())) / 10 ** DECIMALS;
}
