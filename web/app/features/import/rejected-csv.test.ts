import { expect, it } from "vitest";
import { cellName, problemsFileName, rejectedCsv } from "#features/import/rejected-csv.ts";

it("names cells as a spreadsheet does", () => {
  expect(cellName({ column: "K", row: 231 })).toBe("K231");
  expect(cellName({ column: "", row: 231 })).toBe("");
});

it("writes what the cell holds without letting it become a formula", () => {
  const csv = rejectedCsv([
    {
      row: 231,
      column: "K",
      value: "-50",
      code: "quantity",
      message: "Quantity must be above 0",
      sheet: "Equity",
    },
    { row: 302, column: "", value: '=HYPERLINK("x")', code: "row", message: "No date, no time", sheet: "" },
  ]);
  expect(csv).toBe(
    'Sheet,Row,Cell,Value,What is wrong\r\nEquity,231,K231,\'-50,Quantity must be above 0\r\n,302,,"\'=HYPERLINK(""x"")","No date, no time"\r\n',
  );
});

it.each([
  ["tradebook.xlsx", "tradebook-problems.csv"],
  ["my.trade.book.csv", "my.trade.book-problems.csv"],
  ["plain", "plain-problems.csv"],
  [".csv", "import-problems.csv"],
])("%s becomes %s", (name, problems) => {
  expect(problemsFileName(name)).toBe(problems);
});
