// Symbols of options in the notation of the exchanges: `NIFTY26DEC24500CE` for a monthly contract, `NIFTY26D0824500CE`
// for a weekly one. The parser is in crates/instrument.

import { isMonthlyContract } from "#lib/expiry-calendar.ts";

export type OptionKind = "CE" | "PE";

export type Option = {
  underlying: string;
  /** Date of the expiry, such as `2026-12-29`. */
  expiry: string;
  strike: number;
  kind: OptionKind;
};

const MONTHS = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];
/** Months in the symbols of weekly contracts. */
const WEEKLY_MONTHS = "123456789OND";

/** The server reads the digits of a weekly symbol as a date only up to this time after the trade. */
const MAX_DAYS_TO_WEEKLY_EXPIRY = 120;

const DAY_MS = 24 * 3_600_000;

/** Returns true for the name of an underlying as exchanges write it. */
export function isUnderlying(name: string): boolean {
  return /^(?=.*[A-Z])[A-Z0-9&-]{1,32}$/.test(name);
}

/**
 * Returns the symbol of an option that is traded on a date, such as `2026-11-12`; undefined for a weekly contract too
 * long before its expiry.
 */
export function optionSymbol(
  { underlying, expiry, strike, kind }: Option,
  traded: string,
): string | undefined {
  const [year = "", month = "", day = ""] = expiry.split("-");
  const index = Number(month) - 1;
  const name = `${underlying}${year.slice(2)}`;
  if (isMonthlyContract(underlying, expiry)) return `${name}${MONTHS[index]}${strike}${kind}`;
  const days = (Date.parse(expiry) - Date.parse(traded)) / DAY_MS;
  if (days > MAX_DAYS_TO_WEEKLY_EXPIRY) return undefined;
  return `${name}${WEEKLY_MONTHS[index]}${day}${strike}${kind}`;
}

/** Returns the underlying of a symbol: the name before the year and month of a contract, or the symbol of a share. */
export function symbolUnderlying(symbol: string): string {
  return /^(.*?[A-Z].*?)\d\d(?:[A-Z]{3}|[1-9OND]\d\d)[\d.]*(?:FUT|CE|PE)$/.exec(symbol)?.[1] ?? symbol;
}
