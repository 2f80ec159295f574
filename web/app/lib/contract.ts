import type { Schemas } from "#lib/api.ts";
import { count, date } from "#lib/format.ts";

export type Contract = Schemas["Contract"];

/**
 * "NIFTY 5 Jun 2025": what it is on, and until when; the month alone where the file says no more. `brief` leaves out
 * the year, where the trade's own day stands beside it and there is no room.
 */
export function contractHead({ underlying, expiry }: Contract, brief = false): string {
  const until = expiryWords(expiry);
  return `${underlying} ${brief && isDay(expiry) ? until.replace(/ \d+$/, "") : until}`;
}

/** "5 Jun 2025", or "Jun 2025" of a month alone. */
export function expiryWords(expiry: string): string {
  return isDay(expiry) ? date(expiry) : date(`${expiry}-01`).replace(/^\d+ /, "");
}

/** An expiry may be a month alone. */
export function isDay(expiry: string): boolean {
  return expiry.length === "2025-06-05".length;
}

/** "24,750 PE", or "FUT". */
export function contractTail({ kind, strike }: Contract): string {
  return strike === null ? kind : `${count(strike)} ${kind}`;
}

/** A trade by what it is of: INFY, or "NIFTY 5 Jun 2025 24,750 PE" where the symbol tells as much. */
export function tradeName({ symbol, contract }: { symbol: string; contract?: Contract }): string {
  return contract ? `${contractHead(contract)} ${contractTail(contract)}` : symbol;
}
