import type { Schemas } from "#lib/api.ts";
import { toCsv } from "#lib/csv.ts";

export type Rejected = Schemas["RejectedRow"];

/** K231, as a spreadsheet names it; empty when the whole row is at fault. */
export function cellName({ column, row }: Pick<Rejected, "column" | "row">): string {
  return column ? `${column}${row}` : "";
}

/** The rows that were left out, for going through the file beside it. */
export function rejectedCsv(rejected: readonly Rejected[]): string {
  return toCsv([
    ["Sheet", "Row", "Cell", "Value", "What is wrong"],
    ...rejected.map((row) => [row.sheet, row.row, cellName(row), row.value, row.message]),
  ]);
}

/** tradebook.xlsx becomes tradebook-problems.csv. */
export function problemsFileName(fileName: string): string {
  return `${fileName.replace(/\.[a-z]{3,4}$/i, "") || "import"}-problems.csv`;
}
