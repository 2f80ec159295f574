import type { Schemas } from "#lib/api.ts";
import { count, date } from "#lib/format.ts";

export type Contract = Schemas["Contract"];

/**
 * "NIFTY 5 Jun 2025": what it is on, and until when; the month alone where the file says no more. `brief` leaves out
 * the year, where the trade's own day stands beside it and there is no room.
 */
export function contractHead({ underlying, expiry }: Contract, brief = false): string {
  if (/^\d{4}-\d{2}$/.test(expiry)) return `${underlying} ${date(`${expiry}-01`).replace(/^\d+ /, "")}`;
  return `${underlying} ${brief ? date(expiry).replace(/ \d+$/, "") : date(expiry)}`;
}

/** "24,750 PE", or "FUT". */
export function contractTail({ kind, strike }: Contract): string {
  return strike === null ? kind : `${count(strike)} ${kind}`;
}

/** A trade by what it is of: INFY, or "NIFTY 5 Jun 2025 24,750 PE" where the symbol tells as much. */
export function tradeName({ symbol, contract }: { symbol: string; contract?: Contract }): string {
  return contract ? `${contractHead(contract)} ${contractTail(contract)}` : symbol;
}
