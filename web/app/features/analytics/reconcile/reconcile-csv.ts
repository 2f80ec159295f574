import {
  CHARGE_NAMES,
  type Reconciliation,
  rowName,
  rowNoun,
} from "#features/analytics/reconcile/reconciliation.ts";
import { brokerName } from "#lib/books.ts";
import { type Cell, toCsv } from "#lib/csv.ts";

/** Returns the whole comparison as CSV, including rows that agree; figures are plain numbers. */
export function reconcileCsv(result: Reconciliation): string {
  const { totals, rows, charges, broker } = result;
  const pair = (figure: string) => [`${figure}, your log`, `${figure}, ${brokerName(broker)}`];
  const head = [
    ...["Part", "Name", "ISIN", "Company"],
    ...[...pair("Quantity"), ...pair("Buy value"), ...pair("Sale value")],
    ...[...pair("Amount"), "Difference", "Agrees", "Likely reason"],
  ];
  const part = rowNoun(result) === "share" ? "Share" : "Contract";
  const sums = [
    { name: "Gross P&L", sum: totals.gross },
    { name: "Charges", sum: totals.charges },
    { name: "Net P&L", sum: totals.net },
  ];
  return toCsv([
    head,
    ...sums.map(({ name, sum }) => [
      ...["Total", name, "", "", "", "", "", "", "", ""],
      ...[sum.log, sum.report, sum.difference, yes(sum.difference === 0), ""],
    ]),
    ...rows.map((row) => [
      ...[part, row.symbol ?? rowName(row), row.isin ?? "", row.name ?? ""],
      ...(["quantity", "buyValue", "sellValue", "gross"] as const).flatMap((key) => [
        cell(row.log?.[key]),
        cell(row.report?.[key]),
      ]),
      ...[row.difference.gross, yes(row.agrees), row.cause?.sentence ?? ""],
    ]),
    ...charges.map(({ charge, log, report, difference, agrees, cause }) => [
      ...["Charge", CHARGE_NAMES[charge], "", "", "", "", "", "", "", ""],
      ...[cell(log), cell(report), cell(difference), yes(agrees), cause?.sentence ?? ""],
    ]),
  ]);
}

function cell(value: number | null | undefined): Cell {
  return value ?? "";
}

function yes(agrees: boolean): string {
  return agrees ? "Yes" : "No";
}
