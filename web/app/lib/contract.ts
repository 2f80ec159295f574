import type { Schemas } from "#lib/api.ts";
import { count, date } from "#lib/format.ts";

/** A future or an option. */
export type Contract = Schemas["Contract"];

/**
 * Returns underlying and expiry, "NIFTY 5 Jun 2025"; only the month if the file has no more. `brief` omits the year, for
 * narrow columns beside the date of the trade.
 */
export function underlyingWithExpiry({ underlying, expiry }: Contract, brief = false): string {
  const label = expiryLabel(expiry);
  return `${underlying} ${brief && isDay(expiry) ? label.replace(/ \d+$/, "") : label}`;
}

/** Returns "5 Jun 2025", or "Jun 2025" for a month. */
export function expiryLabel(expiry: string): string {
  return isDay(expiry) ? date(expiry) : date(`${expiry}-01`).replace(/^\d+ /, "");
}

/** Returns true if the expiry is a date, false if it is only a month. */
export function isDay(expiry: string): boolean {
  return expiry.length === "2025-06-05".length;
}

/** Returns "24,750 PE" or "FUT". */
export function strikeWithType({ kind, strike }: Contract): string {
  return strike === null ? kind : `${count(strike)} ${kind}`;
}

/** Returns the name of the traded instrument: the symbol, or "NIFTY 5 Jun 2025 24,750 PE" for a contract. */
export function tradeName({ symbol, contract }: { symbol: string; contract?: Contract }): string {
  return contract ? `${underlyingWithExpiry(contract)} ${strikeWithType(contract)}` : symbol;
}
