// Each formatter is created once. Numbers and dates are en-IN, times are India time, for every reader.

const LOCALE = "en-IN";
const ZONE = "Asia/Kolkata";

/**
 * Replaces the hyphen of Intl by the minus sign, which is as wide as the plus. A word joiner after the sign prevents a
 * line break before the ₹.
 */
export function withMinusSign(text: string): string {
  return text.replace("-", "\u2212").replace(/^.(?=₹)/, "$&\u2060");
}

const rupees = new Intl.NumberFormat(LOCALE, {
  style: "currency",
  currency: "INR",
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
  trailingZeroDisplay: "stripIfInteger",
});
const paise = new Intl.NumberFormat(LOCALE, { style: "currency", currency: "INR" });
const signedRupees = new Intl.NumberFormat(LOCALE, {
  style: "currency",
  currency: "INR",
  signDisplay: "exceptZero",
});
const prices = new Intl.NumberFormat(LOCALE, {
  style: "currency",
  currency: "INR",
  minimumFractionDigits: 2,
  maximumFractionDigits: 4,
});
const counts = new Intl.NumberFormat(LOCALE, { maximumFractionDigits: 4 });
const parts = new Intl.NumberFormat(LOCALE, { maximumFractionDigits: 6 });
const short = new Intl.NumberFormat(LOCALE, { maximumSignificantDigits: 3 });

/** ₹12,34,567.50, or ₹12,34,567 without paise. */
export function inr(value: number): string {
  return withMinusSign(rupees.format(value));
}

/** ₹12,34,567.00: always with paise, for columns. */
export function inrPaise(value: number): string {
  return withMinusSign(paise.format(value));
}

/** ₹86.425, ₹1,588.40: a price with all its decimals, two to four. */
export function inrPrice(value: number): string {
  return prices.format(value);
}

/** ₹1.2L, ₹1.2Cr: three significant digits. */
export function inrCompact(value: number): string {
  const size = Math.abs(value);
  const sign = value < 0 ? "\u2212\u2060" : "";
  // From 99,950 on, three digits round up to a lakh; the same applies to crores.
  if (size >= 99_95_000) return `${sign}₹${short.format(size / 1e7)}Cr`;
  if (size >= 99_950) return `${sign}₹${short.format(size / 1e5)}L`;
  if (size >= 1_000) return `${sign}₹${short.format(size / 1e3)}k`;
  return `${sign}₹${short.format(size)}`;
}

/** +₹4,896.00 or −₹320.50; zero has no sign. */
export function signed(value: number): string {
  return withMinusSign(signedRupees.format(value));
}

/** Quantities and counts: 2,500 or 0.125. */
export function count(value: number): string {
  return withMinusSign(counts.format(value));
}

/** Quantities that can be fractions, as for crypto: 75 or 0.000125. */
export function units(value: number): string {
  return parts.format(value);
}

/** "1 trade", "1,518 trades". */
export function plural(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

const stamp = new Intl.DateTimeFormat(LOCALE, {
  day: "numeric",
  month: "short",
  year: "numeric",
  hour: "numeric",
  minute: "2-digit",
  hour12: true,
  timeZone: ZONE,
});
const day = new Intl.DateTimeFormat(LOCALE, {
  day: "numeric",
  month: "short",
  year: "numeric",
  timeZone: ZONE,
});
const weekday = new Intl.DateTimeFormat(LOCALE, { weekday: "short", timeZone: ZONE });
const clock = new Intl.DateTimeFormat(LOCALE, {
  hour: "numeric",
  minute: "2-digit",
  hour12: true,
  timeZone: ZONE,
});
const sortable = new Intl.DateTimeFormat("en-CA", {
  year: "numeric",
  month: "2-digit",
  day: "2-digit",
  timeZone: ZONE,
});

/** Removes differences between browsers: the space before am and pm, and "Sept". */
function normalize(text: string): string {
  return text.replace(/[\u202f\u00a0]/g, " ").replace("Sept", "Sep");
}

/** 20 Jun 2025, 2:47 pm; only the date if the file had no time. */
export function dateTime(iso: string, precision: "second" | "minute" | "day" = "minute"): string {
  return normalize((precision === "day" ? day : stamp).format(new Date(iso)));
}

/** 20 Jun 2025 */
export function date(iso: string): string {
  return normalize(day.format(new Date(iso)));
}

/** Fri, 20 Jun 2025 */
export function dayHeading(iso: string): string {
  return `${weekday.format(new Date(iso))}, ${date(iso)}`;
}

/** 2:47 pm */
export function time(iso: string): string {
  return normalize(clock.format(new Date(iso)));
}

/** 2025-06-20: the date in India, for sorting and grouping. */
export function istDate(iso: string): string {
  return sortable.format(new Date(iso));
}

/** 3.1 MB, with 1,024 kB in 1 MB as in the limits: a file at the limit of 5 MB has 5 MB. */
export function fileSize(bytes: number): string {
  if (bytes < 1_000) return plural(bytes, "byte");
  const kilobytes = bytes / 1_024;
  if (kilobytes < 999.5) return `${short.format(kilobytes)} kB`;
  return `${short.format(kilobytes / 1_024)} MB`;
}

/** "0.07 seconds", "1.2 seconds": an elapsed time. */
export function duration(millis: number): string {
  const seconds = millis / 1_000;
  return `${count(Number(seconds.toPrecision(seconds < 1 ? 1 : 2)))} seconds`;
}

/** "2 seconds", "5 minutes": a waiting time, rounded up. */
export function wait(seconds: number): string {
  if (seconds < 90) return plural(Math.ceil(seconds), "second");
  return seconds < 2 * 3600
    ? plural(Math.ceil(seconds / 60), "minute")
    : plural(Math.ceil(seconds / 3600), "hour");
}
