import type { Schemas } from "#lib/api.ts";
import { inrPaise } from "#lib/format.ts";

type Losses = Schemas["TaxLosses"];
type Head = Schemas["TaxHead"];
type LossKind = Schemas["LossKind"];
type Income = Pick<Losses["results"][number], "head" | "ratePercent" | "hasExemption">;

const INCOME: Record<Head, string> = {
  speculative: "Intraday shares",
  nonSpeculative: "F&O and other business",
  shortTerm: "Short-term gains",
  longTerm: "Long-term gains",
  otherSources: "Dividends and other income",
};

const LOSS: Record<LossKind, string> = {
  speculative: "Intraday loss",
  nonSpeculative: "F&O loss",
  shortTerm: "Short-term loss",
  longTerm: "Long-term loss",
};

/** First financial year under the Income-tax Act 2025, which calls it a tax year. */
const FIRST_TAX_YEAR = "2026-27";

/** Returns the name of a year such as 2025-26: "FY 2025–26", or "Tax year 2026–27" as in the Income-tax Act 2025. */
export function financialYear(year: string): string {
  return `${year < FIRST_TAX_YEAR ? "FY" : "Tax year"} ${year.replace("-", "–")}`;
}

/** Returns the name of a year inside a sentence: "FY 2025–26" or "tax year 2026–27". */
export function yearInSentence(year: string): string {
  return financialYear(year).replace("Tax", "tax");
}

/** Explains the term of the Income-tax Act 2025; undefined for years before it. */
export function taxYearHint(year: string): string | undefined {
  if (year < FIRST_TAX_YEAR) return undefined;
  const start = Number(year.slice(0, 4));
  return `From April 2026 the law says tax year instead of financial year and assessment year. ${financialYear(year)} runs from 1 April ${start} to 31 March ${start + 1}.`;
}

/** Returns a tax rate; undefined is that of the trader's other income. */
export function rateName(ratePercent: number | undefined): string {
  return ratePercent === undefined ? "your slab rate" : `${ratePercent}%`;
}

/** Returns a head of income with its tax rate, such as "Short-term gains at 20%". */
export function incomeName({ head, ratePercent, hasExemption }: Income): string {
  return `${INCOME[head]}${rateText(head, ratePercent, hasExemption)}`;
}

/** Returns " at 20%", or nothing for business income. Long-term gains at one rate can be with and without exemption. */
function rateText(head: Head, ratePercent: number | undefined, hasExemption: boolean): string {
  if (head === "speculative" || head === "nonSpeculative") return "";
  const exemption = head === "longTerm" && !hasExemption ? ", no part exempt" : "";
  return ` at ${rateName(ratePercent)}${exemption}`;
}

export function lossName(kind: LossKind): string {
  return LOSS[kind];
}

const LOSS_OF_YEAR: Record<LossKind, string> = {
  speculative: "intraday loss",
  nonSpeculative: "F&O loss",
  shortTerm: "short-term loss",
  longTerm: "long-term loss",
};

const REDUCED: Record<Head, string> = {
  speculative: "intraday profit",
  nonSpeculative: "F&O profit",
  shortTerm: "short-term gains",
  longTerm: "long-term gains",
  otherSources: "dividends and other income",
};

/** Returns a set-off as a sentence without its law. */
export function setOffText({
  lossKind,
  lossYear,
  against,
  ratePercent,
  hasExemption,
  amount,
}: Losses["setOffs"][number]): string {
  const rate = rateText(against, ratePercent, hasExemption);
  return `${inrPaise(amount)} of the ${LOSS_OF_YEAR[lossKind]} of ${yearInSentence(lossYear)} set off against ${REDUCED[against]}${rate}.`;
}

/** Returns the headline of the card. */
export function lossesTitle({ setOffs, schedule }: Losses): string {
  const sum = (amounts: number[]) =>
    Math.round(amounts.reduce((total, amount) => total + amount, 0) * 100) / 100;
  const used = sum(setOffs.map(({ amount }) => amount));
  const carried = sum(schedule.map(({ carriedForward }) => carriedForward));
  if (schedule.length === 0) return "Losses: none";
  return `Losses: ${inrPaise(used)} set off, ${inrPaise(carried)} carried forward`;
}
