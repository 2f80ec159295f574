import type { Schemas } from "#lib/api.ts";
import { brokerName } from "#lib/books.ts";
import { tradeName } from "#lib/contract.ts";
import { count, inrPaise, plural, signed } from "#lib/format.ts";

export type Reconciliation = Schemas["Reconciliation"];
export type Row = Schemas["ReconciledRow"];
export type ReportCharge = Schemas["ReconciledCharge"];
/** Code of a cause, of rows and of lines of a tax report. */
export type CauseCode = Schemas["ReconcileCause"]["code"] | Schemas["ReconcileLineCause"]["code"];
/** Compared row with the likely cause of its difference. */
export type WithCause = { cause: { code: CauseCode; sentence: string } | null };
type Sum = Schemas["ComparedSum"];
type Sums = Schemas["ReconciledSums"];

/** Formatted figures of one line; the label is empty if a row has a single line. */
export type ComparedLine = { label: string; log: string; report: string; difference: string; same: boolean };

/** En dash, for a side without a value. */
export const NO_VALUE = "\u2013";

const MEASURES: readonly { key: keyof Sums; label: string; show: (value: number) => string }[] = [
  { key: "gross", label: "Gross P&L", show: signed },
  { key: "quantity", label: "Quantity", show: count },
  { key: "buyValue", label: "Buy value", show: inrPaise },
  { key: "sellValue", label: "Sale value", show: inrPaise },
];

/** Returns the lines of a share or contract: its gross P&L, and the other figures that differ. */
export function rowLines({
  log,
  report,
  difference,
}: {
  log: Sums | null;
  report: Sums | null;
  difference: Row["difference"];
}): ComparedLine[] {
  return MEASURES.filter(({ key }) => key === "gross" || difference[key] !== 0).map(
    ({ key, label, show }) => ({
      label,
      log: log ? show(log[key]) : NO_VALUE,
      report: report ? show(report[key]) : NO_VALUE,
      difference: key === "quantity" ? signedCount(difference[key]) : signed(difference[key]),
      same: difference[key] === 0,
    }),
  );
}

export function chargeLine({ log, report, difference, agrees }: ReportCharge): ComparedLine {
  return {
    label: "",
    log: log === null ? NO_VALUE : inrPaise(log),
    report: report === null ? NO_VALUE : inrPaise(report),
    difference: difference === null ? NO_VALUE : signed(difference),
    same: agrees || difference === null,
  };
}

export function sumLine(sum: Sum, show: (value: number) => string): ComparedLine {
  const { log, report, difference } = sum;
  return {
    label: "",
    log: show(log),
    report: show(report),
    difference: signed(difference),
    same: difference === 0,
  };
}

function signedCount(value: number): string {
  return value > 0 ? `+${count(value)}` : count(value);
}

/** Names of a share or contract. */
export type RowNames = Pick<Row, "symbol" | "contract" | "name" | "isin">;

/** Returns the name of a row; some reports have only a company name. */
export function rowName({ symbol, contract, name, isin }: RowNames): string {
  if (symbol) return tradeName({ symbol, ...(contract && { contract }) });
  return name ?? isin ?? "Without a name";
}

export const CHARGE_NAMES: Readonly<Record<ReportCharge["charge"], string>> = {
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

/** Returns the noun for the rows of the report: "share" or "contract". */
export function rowNoun({ tradetype }: Pick<Reconciliation, "tradetype">): string {
  return tradetype === "fno" ? "contract" : "share";
}

/** Returns the result in one line: "3 of 217 shares differ". */
export function verdict(result: Reconciliation): string {
  const { agrees, broker, differingRows, totalRows } = result;
  if (agrees) return `Your log agrees with ${brokerName(broker)}`;
  if (differingRows > 0)
    return `${count(differingRows)} of ${plural(totalRows, rowNoun(result))} ${differingRows === 1 ? "differs" : "differ"}`;
  return `Every ${rowNoun(result)} agrees, some charges differ`;
}

/** Returns a sentence such as "Your log has ₹1,200.00 less gross P&L than Zerodha." */
export function grossText({ totals: { gross }, broker }: Pick<Reconciliation, "totals" | "broker">): string {
  const { difference } = gross;
  const name = brokerName(broker);
  if (difference === 0) return `Gross P&L is the same in your log and at ${name}: ${signed(gross.log)}.`;
  return `Your log has ${inrPaise(Math.abs(difference))} ${difference > 0 ? "more" : "less"} gross P&L than ${name}.`;
}

/** Returns a sentence such as "The estimated charges in your log are ₹3.20 higher." */
export function chargesText({ totals: { charges } }: Pick<Reconciliation, "totals">): string {
  const { difference } = charges;
  if (difference === 0) return "The estimated charges in your log are the same.";
  return `The estimated charges in your log are ${inrPaise(Math.abs(difference))} ${difference > 0 ? "higher" : "lower"}.`;
}

/** Short labels of the likely reasons for a difference. */
export const REASONS: readonly { value: CauseCode; label: string }[] = [
  { value: "trades_missing", label: "Trades missing" },
  { value: "missing_cost_basis", label: "Buy price missing" },
  { value: "split_or_bonus", label: "Split or bonus" },
  { value: "renamed", label: "Symbol changed" },
  { value: "manual_trades", label: "Entered manually" },
  { value: "opening_cost", label: "Your buy price" },
  { value: "expiry", label: "Expiry" },
  { value: "period_end", label: "Period start or end" },
  { value: "other_head", label: "Other head of income" },
  { value: "other_lots", label: "Other lots" },
  { value: "raised_cost", label: "Cost of January 2018" },
  { value: "fair_value_missing", label: "Cost of January 2018?" },
  { value: "corporate_action", label: "Corporate action" },
  { value: "only_in_report", label: "Only in the report" },
  { value: "only_in_log", label: "Only in your log" },
  { value: "rounding", label: "Rounding" },
  { value: "none", label: "Reason not found" },
];

export const REASON_NOT_FOUND = "We could not find the reason.";

/** Returns the reasons that occur in the rows, with the number of rows of each. */
export function reasonOptions(rows: readonly WithCause[]): { value: CauseCode; label: string }[] {
  return REASONS.flatMap(({ value, label }) => {
    const matching = rows.filter(({ cause }) => cause?.code === value).length;
    return matching > 0 ? [{ value, label: `${label} (${count(matching)})` }] : [];
  });
}
