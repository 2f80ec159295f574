const DECIMALS = 4;

/** Number of units in a rupee. */
export const UNITS_PER_RUPEE = 10 ** DECIMALS;

/** Converts a typed price to whole 1/10,000 rupees, without rounding errors; undefined if it is invalid. */
export function toPriceUnits(price: string): bigint | undefined {
  const [, whole = "", part = ""] = /^(\d{0,11})(?:\.(\d{0,4}))?$/.exec(price.trim()) ?? [];
  return whole + part === "" ? undefined : BigInt(whole + part.padEnd(DECIMALS, "0"));
}
