import type { Schemas } from "#lib/api.ts";
import { toCsv } from "#lib/csv.ts";

/** Issue of a row: the row is skipped, or it is imported with a warning. */
export type Issue = Schemas["WarningRow"] & { kind: "skipped" | "warning" };

export type IssueLists = {
  rejected: readonly Schemas["RejectedRow"][];
  warnings: readonly Schemas["WarningRow"][];
};

/**
 * Lists the issues grouped by kind: skipped rows, warnings of a row, then warnings about the whole book. Within a kind in
 * the order of the file.
 */
export function listIssues({ rejected, warnings }: IssueLists): Issue[] {
  const issues = [
    ...rejected.map((row): Issue => ({ ...row, kind: "skipped" })),
    ...warnings.map((row): Issue => ({ ...row, kind: "warning" })).sort(byRow),
  ];
  return issueGroups(issues).flatMap(({ issues: group }) => group);
}

function byRow(a: Issue, b: Issue): number {
  const end = Number.MAX_SAFE_INTEGER;
  return (a.row ?? end) - (b.row ?? end);
}

/** Issues of one kind. */
export type IssueGroup = { key: string; title: string; issues: Issue[] };

/** Groups issues by their kind, those of a row first. */
export function issueGroups(issues: readonly Issue[]): IssueGroup[] {
  const groups = new Map<string, IssueGroup>();
  for (const issue of issues) {
    const key = groupKey(issue);
    const group = groups.get(key) ?? { key, title: groupTitle(issue), issues: [] };
    group.issues.push(issue);
    groups.set(key, group);
  }
  return [...groups.values()].sort((a, b) => rank(a) - rank(b));
}

/** Returns the key of the group of an issue. */
export function groupKey({ kind, code, row }: Pick<Issue, "kind" | "code" | "row">): string {
  return `${kind} ${code} ${row === null ? "book" : "row"}`;
}

function rank({ issues: [first] }: IssueGroup): number {
  if (first?.kind === "skipped") return 0;
  return first?.row === null ? 2 : 1;
}

/** Returns the name of a kind: "Sold more than bought"; other codes are readable: "Quantity not a number". */
function groupTitle({ code }: Pick<Issue, "code">): string {
  if (code === "sale_without_purchase") return "Sold more than bought";
  const text = code.replaceAll("_", " ").replace(/^isin\b/, "ISIN");
  return text.charAt(0).toUpperCase() + text.slice(1);
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
