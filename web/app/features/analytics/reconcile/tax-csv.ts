import { rowName } from "#features/analytics/reconcile/reconciliation.ts";
import { HEAD_NAMES, type TaxReconciliation } from "#features/analytics/reconcile/tax-reconciliation.ts";
import { brokerName } from "#lib/books.ts";
import { toCsv } from "#lib/csv.ts";

/** Returns the whole comparison as CSV, including lines that agree; figures are plain numbers. */
export function taxCsv({ heads, lines, broker }: TaxReconciliation): string {
  const pair = (figure: string) => [`${figure}, your log`, `${figure}, ${brokerName(broker)}`];
  const sides = <T>(log: T | undefined, report: T | undefined) => [log ?? "", report ?? ""];
  return toCsv([
    [
      ...["Part", "Name", "ISIN", "Company", "Opened on", "Closed on", ...pair("Head of income")],
      ...[...pair("Quantity"), ...pair("Buy value"), ...pair("Sale value"), ...pair("Gross P&L")],
      ...["Difference", "Agrees", "Likely reason"],
    ],
    ...heads.map(({ head, buyValue, sellValue, gross }) => [
      ...["Head of income", HEAD_NAMES[head], "", "", "", "", "", "", "", ""],
      ...[buyValue, sellValue, gross].flatMap(({ log, report }) => [log, report]),
      ...[gross.difference, gross.difference === 0 ? "Yes" : "No", ""],
    ]),
    ...lines.map((line) => [
      ...[
        "Line",
        line.symbol ?? rowName(line),
        line.isin ?? "",
        line.name ?? "",
        line.entryDay,
        line.exitDay,
      ],
      ...sides(line.log && HEAD_NAMES[line.log.head], line.report && HEAD_NAMES[line.report.head]),
      ...(["quantity", "buyValue", "sellValue", "gross"] as const).flatMap((key) =>
        sides(line.log?.[key], line.report?.[key]),
      ),
      ...[line.difference.gross, line.agrees ? "Yes" : "No", line.cause?.sentence ?? ""],
    ]),
  ]);
}
