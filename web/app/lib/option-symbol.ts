// Symbols of options in the notation of the exchanges: `NIFTY26DEC24500CE` for a monthly contract, `NIFTY26D0824500CE`
// for a weekly one. The parser is in crates/instrument.

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

const BSE_INDICES: readonly string[] = ["SENSEX", "BANKEX", "SENSEX50"];

/** Indices with weekly contracts, now or in the past. */
const WEEKLY_INDICES: readonly string[] = ["NIFTY", "BANKNIFTY", "FINNIFTY", "MIDCPNIFTY", ...BSE_INDICES];

/** Indices with options, as suggestions. */
export const OPTION_INDICES: readonly string[] = [
  "NIFTY",
  "BANKNIFTY",
  "SENSEX",
  "FINNIFTY",
  "MIDCPNIFTY",
  "NIFTYNXT50",
  "BANKEX",
];

/** The server reads the digits of a weekly symbol as a date only up to this time after the trade. */
const MAX_DAYS_TO_WEEKLY_EXPIRY = 120;

/** First day of the weekdays of `EXPIRY_WEEKDAY` (circulars of NSE and BSE, 17 June 2025). */
const EXPIRY_WEEKDAYS_FROM = "2025-09-01";
const EXPIRY_WEEKDAY = { NSE: 2, BSE: 4 } as const;
/** Longest run of holidays by which an expiry is moved to an earlier day. */
const MAX_HOLIDAYS = 2;

const DAY_MS = 24 * 3_600_000;

/** Returns true for the name of an underlying as exchanges write it. */
export function isUnderlying(name: string): boolean {
  return /^(?=.*[A-Z])[A-Z0-9&-]{1,32}$/.test(name);
}

/** Returns the exchange on which the options of an underlying are traded. */
export function optionExchange(underlying: string): "NSE" | "BSE" {
  return BSE_INDICES.includes(underlying) ? "BSE" : "NSE";
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
  if (isMonthly(underlying, expiry)) return `${name}${MONTHS[index]}${strike}${kind}`;
  const days = (Date.parse(expiry) - Date.parse(traded)) / DAY_MS;
  if (days > MAX_DAYS_TO_WEEKLY_EXPIRY) return undefined;
  return `${name}${WEEKLY_MONTHS[index]}${day}${strike}${kind}`;
}

/** Returns true if a contract is the monthly one: no later week of its month has an expiry. */
function isMonthly(underlying: string, expiry: string): boolean {
  if (!WEEKLY_INDICES.includes(underlying)) return true;
  const date = new Date(expiry);
  const regular = new Date(date.getTime() + holidaysBeforeExpiry(underlying, date) * DAY_MS);
  // The last weekly contract of a month can be moved to the end of the month before.
  if (regular.getUTCMonth() !== date.getUTCMonth()) return false;
  return new Date(regular.getTime() + 7 * DAY_MS).getUTCMonth() !== date.getUTCMonth();
}

/** Returns the days from an expiry to its regular weekday; 0 if that is too far, or was another weekday at the time. */
function holidaysBeforeExpiry(underlying: string, date: Date): number {
  if (date.getTime() < Date.parse(EXPIRY_WEEKDAYS_FROM)) return 0;
  const days = (EXPIRY_WEEKDAY[optionExchange(underlying)] - date.getUTCDay() + 7) % 7;
  return days <= MAX_HOLIDAYS ? days : 0;
}

/** Returns the underlying of a symbol: the name before the year and month of a contract, or the symbol of a share. */
export function symbolUnderlying(symbol: string): string {
  return /^(.*?[A-Z].*?)\d\d(?:[A-Z]{3}|[1-9OND]\d\d)[\d.]*(?:FUT|CE|PE)$/.exec(symbol)?.[1] ?? symbol;
}
