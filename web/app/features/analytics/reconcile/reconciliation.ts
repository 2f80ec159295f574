import { brokerName } from "#content/books.ts";
import type { Schemas } from "#lib/api.ts";
import { count, inrPaise, plural, signed } from "#lib/format.ts";

export type Reconciliation = Schemas["Reconciliation"];
export type Row = Schemas["ReconciledRow"];
export type ReportCharge = Schemas["ReconciledCharge"];
export type CauseCode = Schemas["ReconcileCause"]["code"];
type Sum = Schemas["ComparedSum"];
type Sums = Schemas["ReconciledSums"];

/** Ours, theirs and the difference as they are shown, and what they are of where there is more than one. */
export type ComparedLine = { label: string; ours: string; theirs: string; difference: string; same: boolean };

const NOTHING = "\u2013";

const MEASURES: readonly { key: keyof Sums; label: string; show: (value: number) => string }[] = [
  { key: "gross", label: "Gross P&L", show: signed },
  { key: "quantity", label: "Quantity", show: count },
  { key: "buyValue", label: "Bought for", show: inrPaise },
  { key: "sellValue", label: "Sold for", show: inrPaise },
];

/** The result, and whatever else of a share or contract differs. */
export function rowLines({ ours, theirs, difference }: Row): ComparedLine[] {
  return MEASURES.filter(({ key }) => key === "gross" || difference[key] !== 0).map(
    ({ key, label, show }) => ({
      label,
      ours: ours ? show(ours[key]) : NOTHING,
      theirs: theirs ? show(theirs[key]) : NOTHING,
      difference: key === "quantity" ? signedCount(difference[key]) : signed(difference[key]),
      same: difference[key] === 0,
    }),
  );
}

export function chargeLine({ ours, theirs, difference, agrees }: ReportCharge): ComparedLine {
  return {
    label: "",
    ours: ours === null ? NOTHING : inrPaise(ours),
    theirs: theirs === null ? NOTHING : inrPaise(theirs),
    difference: difference === null ? NOTHING : signed(difference),
    same: agrees || difference === null,
  };
}

export function sumLine(sum: Sum, show: (value: number) => string): ComparedLine {
  const { ours, theirs, difference } = sum;
  return {
    label: "",
    ours: show(ours),
    theirs: show(theirs),
    difference: signed(difference),
    same: difference === 0,
  };
}

function signedCount(value: number): string {
  return value > 0 ? `+${count(value)}` : count(value);
}

/** What a row is called: the report may have a name alone. */
export function rowName({ symbol, name, isin }: Row): string {
  return symbol ?? name ?? isin ?? "Without a name";
}

export const CHARGE_WORDS: Readonly<Record<ReportCharge["charge"], string>> = {
  brokerage: "Brokerage",
  exchange: "Exchange transaction charges",
  clearing: "Clearing charges",
  stt: "STT and CTT",
  gst: "GST",
  sebi: "SEBI turnover fees",
  stampDuty: "Stamp duty",
  ipft: "IPFT",
  dp: "DP charges",
  other: "Other debits and credits",
};

/** "share" or "contract": what the rows of the report are. */
export function thing({ tradetype }: Pick<Reconciliation, "tradetype">): string {
  return tradetype === "fno" ? "contract" : "share";
}

/** The answer in one line: "3 of 217 shares differ". */
export function verdict(result: Reconciliation): string {
  const { agrees, broker, differing, rowTotal } = result;
  if (agrees) return `Your log agrees with ${brokerName(broker)}`;
  if (differing > 0)
    return `${count(differing)} of ${plural(rowTotal, thing(result))} ${differing === 1 ? "differs" : "differ"}`;
  return `Every ${thing(result)} agrees, some charges differ`;
}

/** "Your log has ₹1,200.00 less gross P&L than Zerodha." */
export function grossWords({ totals: { gross }, broker }: Pick<Reconciliation, "totals" | "broker">): string {
  const { difference } = gross;
  const name = brokerName(broker);
  if (difference === 0) return `Gross P&L is the same in your log and at ${name}: ${signed(gross.ours)}.`;
  return `Your log has ${inrPaise(Math.abs(difference))} ${difference > 0 ? "more" : "less"} gross P&L than ${name}.`;
}

/** "Its estimated charges are ₹3.20 higher." */
export function chargesWords({ totals: { charges } }: Pick<Reconciliation, "totals">): string {
  const { difference } = charges;
  if (difference === 0) return "Its estimated charges are the same.";
  return `Its estimated charges are ${inrPaise(Math.abs(difference))} ${difference > 0 ? "higher" : "lower"}.`;
}

/** The causes of rows, as short as a filter has them. */
export const CAUSES: readonly { value: CauseCode; label: string }[] = [
  { value: "trades_missing", label: "Trades missing" },
  { value: "purchase_missing", label: "Purchase missing" },
  { value: "split_or_bonus", label: "Split or bonus" },
  { value: "renamed", label: "Renamed" },
  { value: "entered_by_hand", label: "Entered by hand" },
  { value: "opening_cost", label: "Cost as entered" },
  { value: "expiry", label: "Expiry" },
  { value: "period_end", label: "Ends of the period" },
  { value: "rounding", label: "Rounding" },
  { value: "none", label: "No cause found" },
];

/** Those that some row has, with how many have each. */
export function causesOf(rows: readonly Row[]): { value: CauseCode; label: string }[] {
  return CAUSES.flatMap(({ value, label }) => {
    const found = rows.filter(({ cause }) => cause?.code === value).length;
    return found > 0 ? [{ value, label: `${label} (${count(found)})` }] : [];
  });
}
