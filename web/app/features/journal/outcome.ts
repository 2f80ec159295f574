const PRICE_DECIMALS = 4;
const QUANTITY_DECIMALS = 6;
/** The product of price and quantity is in units of 1/10^10 rupees; dividing by this gives paise. */
const UNITS_PER_PAISA = 10n ** BigInt(PRICE_DECIMALS + QUANTITY_DECIMALS - 2);

export type OutcomeFields = { buyPrice: string; sellPrice: string; quantity: string };

export type Outcome = { pnl: number; status: "WIN" | "LOSS" };

/**
 * Calculates (sell − buy) × quantity in integers, rounded to the paisa, half away from zero. The status is WIN if the
 * result before rounding is above zero. Undefined until all three values are numbers.
 */
export function calculateOutcome({ buyPrice, sellPrice, quantity }: OutcomeFields): Outcome | undefined {
  const buy = parseScaled(buyPrice, PRICE_DECIMALS);
  const sell = parseScaled(sellPrice, PRICE_DECIMALS);
  const units = parseScaled(quantity, QUANTITY_DECIMALS);
  if (buy === undefined || sell === undefined || units === undefined) return undefined;

  const pnl = (sell - buy) * units;
  const half = pnl < 0n ? -UNITS_PER_PAISA / 2n : UNITS_PER_PAISA / 2n;
  return { pnl: Number((pnl + half) / UNITS_PER_PAISA) / 100, status: pnl > 0n ? "WIN" : "LOSS" };
}

/** Parses a field exactly, in units of 1/10^decimals; undefined if it is not a number. */
function parseScaled(text: string, decimals: number): bigint | undefined {
  const [, whole = "", part = ""] = /^(\d{0,11})(?:\.(\d*))?$/.exec(text.trim()) ?? [];
  if (whole + part === "" || part.length > decimals) return undefined;
  return BigInt(whole + part.padEnd(decimals, "0"));
}
