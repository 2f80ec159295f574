import { expect, it } from "vitest";
import {
  cellName,
  fixFor,
  issueGroups,
  issuesCsv,
  issuesFileName,
  listIssues,
} from "#features/import/issues.ts";

const refusal = (row: number, code: string) => ({
  row,
  column: "K",
  value: "-50",
  code,
  message: "The quantity is not above 0.",
  sheet: "Equity",
});
const warning = (row: number | null) => ({
  row,
  column: "",
  value: "INFY",
  code: "sale_without_purchase",
  message: "More was sold than bought.",
  sheet: "",
});

it("names cells as a spreadsheet does", () => {
  expect(cellName({ column: "K", row: 231 })).toBe("K231");
  expect(cellName({ column: "", row: 231 })).toBe("");
  expect(cellName({ column: "K", row: null })).toBe("");
});

it("[T10] groups issues by kind with counts, those of rows first", () => {
  const outlier = (row: number) => ({ ...warning(row), code: "price_outlier" });
  const sales = Array.from({ length: 26 }, () => warning(null));
  const list = listIssues({
    rejected: [refusal(9, "side_unknown"), refusal(4, "quantity_not_whole"), refusal(12, "side_unknown")],
    warnings: [...sales, outlier(30), { ...warning(3), code: "isin_changed" }, outlier(7)],
  });
  expect(list.slice(0, 6).map(({ row, code }) => [row, code])).toEqual([
    [9, "side_unknown"],
    [12, "side_unknown"],
    [4, "quantity_not_whole"],
    [3, "isin_changed"],
    [7, "price_outlier"],
    [30, "price_outlier"],
  ]);
  expect(issueGroups(list).map(({ title, issues }) => `${issues.length} ${title}`)).toEqual([
    "2 Side unknown",
    "1 Quantity not whole",
    "1 ISIN changed",
    "2 Price outlier",
    "26 Sold more than bought",
  ]);
});

it("lists skipped rows first, and warnings without a row last", () => {
  const list = listIssues({
    rejected: [refusal(231, "quantity_not_positive")],
    warnings: [warning(null), warning(90), warning(7), warning(null)],
  });
  expect(list.map(({ kind, row }) => [kind, row])).toEqual([
    ["skipped", 231],
    ["warning", 7],
    ["warning", 90],
    ["warning", null],
    ["warning", null],
  ]);
});

it("writes cell values without creating a formula", () => {
  const csv = issuesCsv(
    listIssues({
      rejected: [
        refusal(231, "quantity_not_positive"),
        { ...refusal(302, "x"), column: "", value: '=HYPERLINK("x")', sheet: "" },
      ],
      warnings: [warning(null)],
    }),
  );
  expect(csv.split("\r\n")).toEqual([
    "Kind,Sheet,Row,Cell,Value,What is wrong,What to do",
    "Skipped,Equity,231,K231,'-50,The quantity is not above 0.,\"Enter the number from the broker's report. It is above 0, for a sell too.\"",
    'Skipped,,302,,"\'=HYPERLINK(""x"")",The quantity is not above 0.,Compare the row with the broker\'s report.',
    "Warning,,,,INFY,More was sold than bought.,",
    "",
  ]);
});

it.each([
  ["price_not_a_number", /number/],
  ["side_unknown", /buy or sell/],
  ["isin_invalid", /as downloaded from the broker/],
  ["unknown_code", /Compare the row/],
])("suggests a fix for %s", (code, fix) => {
  expect(fixFor({ kind: "skipped", code })).toMatch(fix);
  expect(fixFor({ kind: "warning", code })).toBe("");
});

it.each([
  ["tradebook.xlsx", "tradebook-problems.csv"],
  ["my.trade.book.csv", "my.trade.book-problems.csv"],
  ["plain", "plain-problems.csv"],
  [".csv", "import-problems.csv"],
])("derives from %s the file name %s", (name, problems) => {
  expect(issuesFileName(name)).toBe(problems);
});
