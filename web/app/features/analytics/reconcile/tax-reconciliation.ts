import {
  type ComparedLine,
  NO_VALUE,
  type Reconciliation,
  rowLines,
  sumLine,
} from "#features/analytics/reconcile/reconciliation.ts";
import type { Schemas } from "#lib/api.ts";
import { brokerName } from "#lib/books.ts";
import { count, plural, signed } from "#lib/format.ts";

export type TaxReconciliation = Schemas["TaxReconciliation"];
export type Line = Schemas["ReconciledLine"];
type Head = Schemas["TaxReportHead"];
type ComparedHead = Schemas["ReconciledHead"];

export const HEAD_NAMES: Readonly<Record<Head, string>> = {
  intraday: "Intraday",
  shortTerm: "Short term",
  longTerm: "Long term",
  buyback: "Buyback",
  otherSecurities: "Non-equity",
  fno: "Futures and options",
};

export function isTaxReconciliation(result: Reconciliation | TaxReconciliation): result is TaxReconciliation {
  return "heads" in result;
}

/** Returns the result in one line: "3 of 217 lines differ". */
export function taxVerdict({ agrees, broker, differingLines, totalLines }: TaxReconciliation): string {
  if (agrees) return `Your log agrees with ${brokerName(broker)}`;
  return `${count(differingLines)} of ${plural(totalLines, "line")} ${differingLines === 1 ? "differs" : "differ"}`;
}

/** Returns a sentence such as "The profit differs in: Short term, Long term." */
export function headsText({ heads }: Pick<TaxReconciliation, "heads">): string {
  const differing = heads.filter(({ gross }) => gross.difference !== 0);
  if (differing.length === 0) return "The profit is the same in every head of income.";
  return `The profit differs in: ${differing.map(({ head }) => HEAD_NAMES[head]).join(", ")}.`;
}

export function headLine({ gross }: ComparedHead): ComparedLine {
  return sumLine(gross, signed);
}

/** Returns the head of a line; that of the log if both sides have one. */
export function lineHead({ log, report }: Pick<Line, "log" | "report">): Head {
  return log?.head ?? report?.head ?? "shortTerm";
}

/** Returns true if the two sides count a line under different heads. */
export function headsDiffer({ log, report }: Pick<Line, "log" | "report">): boolean {
  return log !== null && report !== null && log.head !== report.head;
}

/** Returns the figures of a line: the heads if they differ, the profit, and the other figures that differ. */
export function lineLines({ log, report, difference }: Line): ComparedLine[] {
  const figures = rowLines({ log, report, difference });
  if (!log || !report || log.head === report.head) return figures;
  const heads = { log: HEAD_NAMES[log.head], report: HEAD_NAMES[report.head], difference: NO_VALUE };
  return [{ label: "Head of income", ...heads, same: false }, ...figures];
}

/** Returns the closed trades to which a line leads: those of its day of exit. */
export function lineScope(
  line: Line,
  { broker }: Pick<TaxReconciliation, "broker">,
): Pick<Reconciliation, "broker" | "tradetype" | "from" | "to"> {
  const tradetype = lineHead(line) === "fno" ? "fno" : "equity";
  return { broker, tradetype, from: line.exitDay, to: line.exitDay };
}
