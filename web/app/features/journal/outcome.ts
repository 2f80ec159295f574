const PRICE_DECIMALS = 4;
const QUANTITY_DECIMALS = 6;
/** Of the product, which is in whole 1/10^10 rupees, to a paisa. */
const TO_PAISE = 10n ** BigInt(PRICE_DECIMALS + QUANTITY_DECIMALS - 2);

export type OutcomeFields = { buyPrice: string; sellPrice: string; quantity: string };

export type Outcome = { pnl: number; status: "WIN" | "LOSS" };

/**
 * What a trade came to: (sell − buy) × quantity in whole numbers, to the paisa, a half away from zero. It is a win
 * where anything above zero was won, before rounding. Undefined until all three figures are there.
 */
export function outcomeOf({ buyPrice, sellPrice, quantity }: OutcomeFields): Outcome | undefined {
  const buy = scaled(buyPrice, PRICE_DECIMALS);
  const sell = scaled(sellPrice, PRICE_DECIMALS);
  const units = scaled(quantity, QUANTITY_DECIMALS);
  if (buy === undefined || sell === undefined || units === undefined) return undefined;

  const won = (sell - buy) * units;
  const half = won < 0n ? -TO_PAISE / 2n : TO_PAISE / 2n;
  return { pnl: Number((won + half) / TO_PAISE) / 100, status: won > 0n ? "WIN" : "LOSS" };
}

/** What a field holds, in whole parts of 1/10^decimals, exactly; undefined while it holds no figure. */
function scaled(text: string, decimals: number): bigint | undefined {
  const [, whole = "", part = ""] = /^(\d{0,11})(?:\.(\d*))?$/.exec(text.trim()) ?? [];
  if (whole + part === "" || part.length > decimals) return undefined;
  return BigInt(whole + part.padEnd(decimals, "0"));
}
