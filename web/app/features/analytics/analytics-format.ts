import { plural, withMinusSign } from "#lib/format.ts";

// Formatters of the analytics only; every page loads `lib/format.ts`.

const LOCALE = "en-IN";

const whole = new Intl.NumberFormat(LOCALE, { style: "currency", currency: "INR", maximumFractionDigits: 0 });
const signedRupees = new Intl.NumberFormat(LOCALE, {
  style: "currency",
  currency: "INR",
  maximumFractionDigits: 0,
  signDisplay: "exceptZero",
});
const two = new Intl.NumberFormat(LOCALE, { maximumSignificantDigits: 2 });
const factors = new Intl.NumberFormat(LOCALE, { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** ₹86,663: whole rupees, for sentences. */
export function inrWhole(value: number): string {
  // `|| 0` turns −0 into 0, which would be shown as −₹0.
  return withMinusSign(whole.format(Math.round(value) || 0));
}

/** +₹997 or −₹840. */
export function signedWhole(value: number): string {
  return withMinusSign(signedRupees.format(Math.round(value) || 0));
}

const hundredths = new Intl.NumberFormat(LOCALE, { maximumFractionDigits: 2 });

/**
 * ₹253.98 Cr or ₹12.35 L: for tiles that have no room for a large amount and show the exact one as their title.
 * Undefined below one lakh, where the exact amount fits.
 */
export function inrLarge(value: number): string | undefined {
  const size = Math.abs(value);
  if (size < 99_999.5) return undefined;
  // From 99,99,500 on, two decimals round up to 100 L.
  const [amount, unit] = size < 99_99_500 ? [size / 1e5, "L"] : [size / 1e7, "Cr"];
  return `${value < 0 ? "\u2212\u2060" : ""}₹${hundredths.format(amount)}\u00a0${unit}`;
}

/** +9.3k, −804, +1.2L: two significant digits without the ₹, for the cells of a calendar or grid. */
export function signedShort(value: number): string {
  const size = Math.abs(value);
  const sign = value > 0 ? "+" : "\u2212";
  if (size < 0.5) return "0";
  // From these values on, two significant digits round up to the next unit.
  if (size >= 99_50_000) return `${sign}${two.format(size / 1e7)}Cr`;
  if (size >= 99_500) return `${sign}${two.format(size / 1e5)}L`;
  if (size >= 999.5) return `${sign}${two.format(size / 1e3)}k`;
  return `${sign}${Math.round(size)}`;
}

/** 1.33 */
export function factor(value: number): string {
  return factors.format(value);
}

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** "40 seconds", "12 minutes", "3 hours", "5 days": a holding time in the largest unit that fits. */
export function duration(seconds: number): string {
  if (seconds < MINUTE) return plural(Math.round(seconds), "second");
  if (seconds < 2 * HOUR) return plural(Math.round(seconds / MINUTE), "minute");
  if (seconds < 2 * DAY) return plural(Math.round(seconds / HOUR), "hour");
  return plural(Math.round(seconds / DAY), "day");
}
