import type { Schemas } from "#lib/api.ts";
import { toCsv } from "#lib/csv.ts";

/** Issue of a row: the row is skipped, or it is imported with a warning. */
export type Issue = Schemas["WarningRow"] & { kind: "skipped" | "warning" };

export type IssueLists = {
  rejected: readonly Schemas["RejectedRow"][];
  warnings: readonly Schemas["WarningRow"][];
};

/** Lists the skipped rows, then the warnings in the order of the file; warnings without a row come last. */
export function listIssues({ rejected, warnings }: IssueLists): Issue[] {
  return [
    ...rejected.map((row): Issue => ({ ...row, kind: "skipped" })),
    ...warnings.map((row): Issue => ({ ...row, kind: "warning" })).sort(byRow),
  ];
}

function byRow(a: Issue, b: Issue): number {
  const end = Number.MAX_SAFE_INTEGER;
  return (a.row ?? end) - (b.row ?? end);
}

/** Returns the name of a cell as in a spreadsheet, such as K231; empty if the issue is about the whole row. */
export function cellName({ column, row }: Pick<Issue, "column" | "row">): string {
  return column && row !== null ? `${column}${row}` : "";
}

/** Returns the issues as CSV. */
export function issuesCsv(issues: readonly Issue[]): string {
  return toCsv([
    ["Kind", "Sheet", "Row", "Cell", "Value", "What is wrong", "What to do"],
    ...issues.map((issue) => [
      issue.kind === "skipped" ? "Skipped" : "Warning",
      issue.sheet,
      issue.row ?? "",
      cellName(issue),
      issue.value,
      issue.message,
      fixFor(issue),
    ]),
  ]);
}

/** Returns the name of the CSV file: tradebook.xlsx becomes tradebook-problems.csv. */
export function issuesFileName(fileName: string): string {
  return `${fileName.replace(/\.[a-z]{3,4}$/i, "") || "import"}-problems.csv`;
}

/** Fixes by the end of an error code; the beginning of a code names the field. */
const FIXES: readonly (readonly [string, string])[] = [
  ["_not_a_number", "Enter the number from the broker's report, such as 75 or 1421.30."],
  ["_not_positive", "Enter the number from the broker's report. It is above 0, for a sell too."],
  ["_not_whole", "Enter the whole number from the broker's report."],
  ["_too_large", "Compare the number with the broker's report."],
  ["side_unknown", "Enter buy or sell."],
  ["exchange_unknown", "Enter NSE or BSE."],
  ["segment_unknown", "Enter EQ for shares or FO for futures and options. Other segments are not supported."],
  ["date_in_future", "Compare the date with the broker's report: day and month may be swapped."],
  ["_missing", "Fill in the cell as in the broker's report."],
  [
    "_invalid",
    "A spreadsheet program may have changed the cell. Upload the file as downloaded from the broker.",
  ],
];

/** Returns how the trader can fix a skipped row; empty for a warning, because its row is imported. */
export function fixFor({ kind, code }: Pick<Issue, "kind" | "code">): string {
  if (kind === "warning") return "";
  return FIXES.find(([ending]) => code.endsWith(ending))?.[1] ?? "Compare the row with the broker's report.";
}
