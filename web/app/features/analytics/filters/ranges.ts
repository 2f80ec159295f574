import { inrWhole } from "#features/analytics/analytics-format.ts";
import { multiple } from "#lib/ratio-format.ts";

/** Values from `from` (inclusive) to `to` (exclusive); null for an open end. */
export type Range = { from: number | null; to: number | null };

/** Unit of results: rupees, or multiples of the initial risk. */
export type Measure = "net" | "r";

const RANGE = /^(-?\d{1,12}(?:\.\d{1,4})?)?\.\.(-?\d{1,12}(?:\.\d{1,4})?)?$/;

/** Formats a range as a request parameter: "500..1000", "..-2000". */
export function writeRange({ from, to }: Range): string {
  return `${from ?? ""}..${to ?? ""}`;
}

export function parseRange(text: string | null): Range | undefined {
  const [all, from, to] = RANGE.exec(text ?? "") ?? [];
  if (!all || all === "..") return undefined;
  return { from: from === undefined ? null : Number(from), to: to === undefined ? null : Number(to) };
}

/** Returns a name such as "₹500 to ₹1,000" or "+5.00R or more". */
export function rangeName(measure: Measure, { from, to }: Range): string {
  const name = measure === "net" ? inrWhole : multiple;
  if (from === null) return to === null ? "Any" : `Below ${name(to)}`;
  return to === null ? `${name(from)} or more` : `${name(from)} to ${name(to)}`;
}
