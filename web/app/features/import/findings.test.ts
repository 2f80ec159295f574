import { expect, it } from "vitest";
import { cureFor } from "#features/import/cures.ts";
import { cellName, findingsCsv, findingsOf, problemsFileName } from "#features/import/findings.ts";

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

it("puts what stays out first, and what is about no row last", () => {
  const found = findingsOf({
    rejected: [refusal(231, "quantity_not_positive")],
    warnings: [warning(null), warning(90), warning(7), warning(null)],
  });
  expect(found.map(({ kind, row }) => [kind, row])).toEqual([
    ["refused", 231],
    ["warning", 7],
    ["warning", 90],
    ["warning", null],
    ["warning", null],
  ]);
});

it("writes what the cell holds without letting it become a formula", () => {
  const csv = findingsCsv(
    findingsOf({
      rejected: [
        refusal(231, "quantity_not_positive"),
        { ...refusal(302, "x"), column: "", value: '=HYPERLINK("x")', sheet: "" },
      ],
      warnings: [warning(null)],
    }),
  );
  expect(csv.split("\r\n")).toEqual([
    "Kind,Sheet,Row,Cell,Value,What is wrong,What to do",
    'Left out,Equity,231,K231,\'-50,The quantity is not above 0.,"Put the figure of the broker there. It is above 0, for a sale too."',
    'Left out,,302,,"\'=HYPERLINK(""x"")",The quantity is not above 0.,Compare the row with the broker\'s own report.',
    "Warning,,,,INFY,More was sold than bought.,",
    "",
  ]);
});

it.each([
  ["price_not_a_number", /figure/],
  ["side_unknown", /buy or sell/],
  ["isin_invalid", /as it comes from the broker/],
  ["what_nobody_knows", /Compare the row/],
])("%s has a cure", (code, cure) => {
  expect(cureFor({ kind: "refused", code })).toMatch(cure);
  expect(cureFor({ kind: "warning", code })).toBe("");
});

it.each([
  ["tradebook.xlsx", "tradebook-problems.csv"],
  ["my.trade.book.csv", "my.trade.book-problems.csv"],
  ["plain", "plain-problems.csv"],
  [".csv", "import-problems.csv"],
])("%s becomes %s", (name, problems) => {
  expect(problemsFileName(name)).toBe(problems);
});
