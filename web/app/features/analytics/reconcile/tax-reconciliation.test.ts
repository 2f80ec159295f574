import { describe, expect, test } from "vitest";
import { rowPath } from "#features/analytics/reconcile/row-link.tsx";
import { taxCsv } from "#features/analytics/reconcile/tax-csv.ts";
import {
  headsText,
  lineLines,
  lineScope,
  taxVerdict,
} from "#features/analytics/reconcile/tax-reconciliation.ts";
import { line, side, taxReconciliation } from "#features/analytics/reconcile/tax-reconciliation-fixture.ts";

const OTHER_HEAD = { code: "other_head", sentence: "Another head." } as const;
const longTerm = line("INFY", side("longTerm", 10, 100, 150), side("shortTerm", 10, 100, 150), OTHER_HEAD);

describe("the result in one line", () => {
  test.each([
    [{}, "Your log agrees with Zerodha"],
    [{ agrees: false, differingLines: 1, totalLines: 217 }, "1 of 217 lines differs"],
    [{ agrees: false, differingLines: 2, totalLines: 2 }, "2 of 2 lines differ"],
  ] as const)("%j: %s", (more, text) => expect(taxVerdict(taxReconciliation(more))).toBe(text));
});

test("names the heads whose profit differs", () => {
  const head = (name: "shortTerm" | "longTerm", difference: number) => {
    const gross = { log: difference, report: 0, difference };
    return { head: name, buyValue: gross, sellValue: gross, gross };
  };
  expect(headsText({ heads: [head("shortTerm", 0)] })).toBe(
    "The profit is the same in every head of income.",
  );
  expect(headsText({ heads: [head("shortTerm", 2), head("longTerm", -2)] })).toBe(
    "The profit differs in: Short term, Long term.",
  );
});

test("shows both heads of a line if they differ, then the profit", () => {
  expect(lineLines(longTerm)).toMatchObject([
    { label: "Head of income", log: "Long term", report: "Short term", same: false },
    { label: "Gross P&L", same: true },
  ]);
  const missing = line("INFY", null, side("shortTerm", 10, 100, 150), {
    code: "only_in_report",
    sentence: "",
  });
  expect(lineLines(missing).map(({ label }) => label)).toEqual([
    "Gross P&L",
    "Quantity",
    "Buy value",
    "Sale value",
  ]);
});

test("leads to the closed trades of the day of exit", () => {
  expect(rowPath(longTerm, lineScope(longTerm, { broker: "zerodha" }), false)).toBe(
    "/analytics/trades?from=2025-06-04&to=2025-06-04&broker=zerodha&symbol=INFY&unit=closedTrades&by=instrument&key=equity",
  );
});

test("writes every head and line with the same number of cells, and no formula", () => {
  const gross = { log: 50, report: 0, difference: 50 };
  const csv = taxCsv(
    taxReconciliation({
      heads: [{ head: "longTerm", buyValue: gross, sellValue: gross, gross }],
      lines: [
        longTerm,
        line("=CMD", null, side("fno", 75, 10, 20), { code: "only_in_report", sentence: "" }),
      ],
    }),
  );
  const lines = csv.trimEnd().split("\r\n");
  expect(lines[1]).toBe("Head of income,Long term,,,,,,,,,50,0,50,0,50,0,50,No,");
  expect(lines[2]).toBe(
    "Line,INFY,,,2024-06-03,2025-06-04,Long term,Short term,10,10,100,100,150,150,50,50,0,No,Another head.",
  );
  expect(lines[3]).toBe("Line,'=CMD,,,2024-06-03,2025-06-04,,Futures and options,,75,,10,,20,,10,-10,No,");
  const cells = (text: string) => text.replace(/"[^"]*"/g, "").split(",").length;
  expect(new Set(lines.map(cells))).toEqual(new Set([19]));
});
