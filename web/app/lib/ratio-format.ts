import { withMinusSign } from "#lib/format.ts";

const LOCALE = "en-IN";

const rates = new Intl.NumberFormat(LOCALE, {
  style: "percent",
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
});

/** 52.9% */
export function percent(rate: number): string {
  return rates.format(rate);
}

const signedRates = new Intl.NumberFormat(LOCALE, {
  style: "percent",
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
  signDisplay: "exceptZero",
});

/** +12.40% or −3.05%: a return; zero has no sign. */
export function signedPercent(rate: number): string {
  return withMinusSign(signedRates.format(rate));
}

const multiples = new Intl.NumberFormat(LOCALE, {
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
  signDisplay: "exceptZero",
});

/** +1.33R, −1.00R: a result as a multiple of the initial risk. */
export function multiple(value: number): string {
  return `${withMinusSign(multiples.format(value))}R`;
}
