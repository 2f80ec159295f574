import { expect, test } from "vitest";
import { reconcileCsv } from "#features/analytics/reconcile/reconcile-csv.ts";
import { reconciliation, row, sums } from "#features/analytics/reconcile/reconciliation-fixture.ts";

test("writes every row and charge with the same number of cells, and no formula", () => {
  const csv = reconcileCsv(
    reconciliation({
      rows: [
        row("=CMD", null, sums(2, 10, 15), {
          cause: { code: "trades_missing", sentence: "The log has none, the report 2." },
        }),
        row("TCS", sums(1, 1, 2), sums(1, 1, 2), { isin: "INE467B01029" }),
      ],
      charges: [
        {
          ...{ charge: "stt", log: 3, report: 2.5, difference: 0.5, agrees: false, lines: [], prices: [] },
          cause: { code: "rounding", sentence: "Rounded." },
        },
      ],
    }),
  );
  const lines = csv.trimEnd().split("\r\n");
  expect(lines[0]).toContain('"Quantity, your log","Quantity, Zerodha"');
  expect(lines[4]).toBe(`Share,'=CMD,,,,2,,10,,15,,5,-5,No,"The log has none, the report 2."`);
  expect(lines[5]).toBe("Share,TCS,INE467B01029,,1,1,1,1,2,2,1,1,0,Yes,");
  expect(lines[6]).toBe("Charge,STT and CTT,,,,,,,,,3,2.5,0.5,No,Rounded.");
  const cells = (line: string) => line.replace(/"[^"]*"/g, "").split(",").length;
  expect(new Set(lines.map(cells))).toEqual(new Set([15]));
});
