import { cureFor } from "#features/import/cures.ts";
import type { Schemas } from "#lib/api.ts";
import { toCsv } from "#lib/csv.ts";

/** Something to be said of a row: it stays out, or it goes in and is worth a look. */
export type Finding = Schemas["WarningRow"] & { kind: "refused" | "warning" };

export type Found = {
  rejected: readonly Schemas["RejectedRow"][];
  warnings: readonly Schemas["WarningRow"][];
};

/** What stays out first; each in the order of the file, and what is about no single row at the end. */
export function findingsOf({ rejected, warnings }: Found): Finding[] {
  return [
    ...rejected.map((row): Finding => ({ ...row, kind: "refused" })),
    ...warnings.map((row): Finding => ({ ...row, kind: "warning" })).sort(byRow),
  ];
}

function byRow(a: Finding, b: Finding): number {
  const end = Number.MAX_SAFE_INTEGER;
  return (a.row ?? end) - (b.row ?? end);
}

/** K231, as a spreadsheet names it; empty when the whole row is at fault. */
export function cellName({ column, row }: Pick<Finding, "column" | "row">): string {
  return column && row !== null ? `${column}${row}` : "";
}

/** What was found, for going through the file beside it. */
export function findingsCsv(findings: readonly Finding[]): string {
  return toCsv([
    ["Kind", "Sheet", "Row", "Cell", "Value", "What is wrong", "What to do"],
    ...findings.map((finding) => [
      finding.kind === "refused" ? "Left out" : "Warning",
      finding.sheet,
      finding.row ?? "",
      cellName(finding),
      finding.value,
      finding.message,
      cureFor(finding),
    ]),
  ]);
}

/** tradebook.xlsx becomes tradebook-problems.csv. */
export function problemsFileName(fileName: string): string {
  return `${fileName.replace(/\.[a-z]{3,4}$/i, "") || "import"}-problems.csv`;
}
