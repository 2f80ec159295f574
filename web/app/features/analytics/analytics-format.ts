import { plural, trueSign } from "#lib/format.ts";

/** Beside `lib/format.ts`, which every page carries: these are for the analytics alone. */

const LOCALE = "en-IN";

const whole = new Intl.NumberFormat(LOCALE, { style: "currency", currency: "INR", maximumFractionDigits: 0 });
const signedRupees = new Intl.NumberFormat(LOCALE, {
  style: "currency",
  currency: "INR",
  maximumFractionDigits: 0,
  signDisplay: "exceptZero",
});
const two = new Intl.NumberFormat(LOCALE, { maximumSignificantDigits: 2 });
const rates = new Intl.NumberFormat(LOCALE, {
  style: "percent",
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
});
const factors = new Intl.NumberFormat(LOCALE, { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** ₹86,663: paise say nothing in a sentence. */
export function inrWhole(value: number): string {
  // Not −₹0.
  return trueSign(whole.format(Math.round(value) || 0));
}

/** +₹997 or −₹840. */
export function signedWhole(value: number): string {
  return trueSign(signedRupees.format(Math.round(value) || 0));
}

/** +9.3k, −804, +1.2L: for cells, where there is room for two figures and every cell is in rupees. */
export function signedShort(value: number): string {
  const size = Math.abs(value);
  const sign = value > 0 ? "+" : "\u2212";
  if (size < 0.5) return "0";
  // From where two figures round up to the next unit.
  if (size >= 99_50_000) return `${sign}${two.format(size / 1e7)}Cr`;
  if (size >= 99_500) return `${sign}${two.format(size / 1e5)}L`;
  if (size >= 999.5) return `${sign}${two.format(size / 1e3)}k`;
  return `${sign}${Math.round(size)}`;
}

/** 52.9% */
export function percent(rate: number): string {
  return rates.format(rate);
}

/** 1.33 */
export function factor(value: number): string {
  return factors.format(value);
}

const multiples = new Intl.NumberFormat(LOCALE, {
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
  signDisplay: "exceptZero",
});

/** +1.33R, −1.00R: a result by what was at risk. */
export function multiple(value: number): string {
  return `${trueSign(multiples.format(value))}R`;
}

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** "40 seconds", "12 minutes", "3 hours", "5 days": how long something was held, in the largest unit that fits. */
export function duration(seconds: number): string {
  if (seconds < MINUTE) return plural(Math.round(seconds), "second");
  if (seconds < 2 * HOUR) return plural(Math.round(seconds / MINUTE), "minute");
  if (seconds < 2 * DAY) return plural(Math.round(seconds / HOUR), "hour");
  return plural(Math.round(seconds / DAY), "day");
}
