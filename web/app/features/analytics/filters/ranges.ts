import { inrWhole, multiple } from "#features/analytics/analytics-format.ts";

/** From `from` to below `to`; null without an end. */
export type Range = { from: number | null; to: number | null };

/** What results are measured in: rupees, or multiples of what was at risk. */
export type Measure = "net" | "r";

const RANGE = /^(-?\d{1,12}(?:\.\d{1,4})?)?\.\.(-?\d{1,12}(?:\.\d{1,4})?)?$/;

/** As the server reads it: "500..1000", "..-2000". */
export function writeRange({ from, to }: Range): string {
  return `${from ?? ""}..${to ?? ""}`;
}

export function parseRange(text: string | null): Range | undefined {
  const [all, from, to] = RANGE.exec(text ?? "") ?? [];
  if (!all || all === "..") return undefined;
  return { from: from === undefined ? null : Number(from), to: to === undefined ? null : Number(to) };
}

/** "₹500 to ₹1,000", "+5.00R or better". */
export function rangeName(measure: Measure, { from, to }: Range): string {
  const name = measure === "net" ? inrWhole : multiple;
  if (from === null) return to === null ? "Any" : `Below ${name(to)}`;
  return to === null ? `${name(from)} or better` : `${name(from)} to ${name(to)}`;
}
