import { describe, expect, test } from "vitest";
import {
  missingText,
  needsSideLabels,
  proofOf,
  suggestMapping,
  type Table,
  toMapping,
} from "#features/import/mapping.ts";

const HEADER = ["Scrip", "B/S", "Traded Qty", "Rate", "Date", "Time"];

function table(change: Partial<Table> = {}, date = "19-11-2026"): Table {
  const cells = ["TATASTEEL", "B", "900", "178.35", date, "14:31:08"];
  const rows = [{ row: 2, cells }];
  return { headerRow: 1, header: HEADER, rows, issueCounts: {}, dateOrderProven: false, ...change };
}

const RESULT: Table["result"] = {
  format: "column-mapping",
  formatTitle: "Your columns",
  broker: "zerodha",
  tradetype: "equity",
  rows: 12,
  skipped: 0,
  trades: 12,
  sample: [],
  rejected: [],
  rejectedTotal: 0,
  warnings: [],
  warningTotal: 0,
  from: null,
  to: null,
};

describe("suggestions", () => {
  test("follow the names of the columns and are marked", () => {
    const draft = suggestMapping(table({ header: [...HEADER, "Remark", "Rate"] }), "equity");
    expect(draft.fields).toEqual(["symbol", "side", "quantity", "price", "date", "time", "", ""]);
    expect(draft.suggested).toEqual([true, true, true, true, true, true, false, false]);
    expect(missingText(draft)).toBe("Choose the broker.");
    expect(toMapping(table(), draft)).toBeUndefined();
    expect(missingText({ ...draft, broker: "dhan" })).toBe("Choose the exchange.");
  });

  test.each([
    ["19-11-2026", "day"],
    ["11/19/2026", "month"],
    ["3/11/2026", ""],
    ["2026-11-19", ""],
    ["19 Nov 2026", ""],
  ] as const)("take the order of day and month from %s only if it proves it", (date, order) => {
    expect(suggestMapping(table({}, date), "equity").dateOrder).toBe(order);
  });
});

describe("a draft", () => {
  const draft = { ...suggestMapping(table(), "equity"), broker: "dhan" as const, exchange: "NSE" as const };

  test("becomes a mapping", () => {
    expect(missingText(draft)).toBe("");
    expect(toMapping(table(), draft)).toMatchObject({
      header: HEADER,
      broker: "dhan",
      tradetype: "equity",
      exchange: "NSE",
      monthFirst: false,
      quantityInLots: false,
      columns: [
        { column: 0, field: "symbol" },
        { column: 1, field: "side" },
        { column: 2, field: "quantity" },
        { column: 3, field: "price" },
        { column: 4, field: "date" },
        { column: 5, field: "time" },
      ],
    });
  });

  test("names what is missing", () => {
    expect(missingText({ ...draft, fields: [] })).toBe(
      "Choose the column for: symbol, buy or sell, quantity, price, date.",
    );
    expect(missingText({ ...draft, unit: "lots" })).toContain("lot size");
    expect(missingText({ ...draft, unit: "lots", lotSize: "75" })).toBe("");
    const prices = draft.fields.with(1, "buyPrice").with(3, "sellPrice");
    expect(missingText({ ...draft, fields: prices })).toBe("");
  });

  test("asks for the words of the sides only if they are unusual", () => {
    expect(needsSideLabels(table(), draft)).toBe(false);
    const cells = ["TATASTEEL", "Bought", "900", "178.35", "19-11-2026", "14:31:08"];
    expect(needsSideLabels(table({ rows: [{ row: 2, cells }] }), draft)).toBe(true);
  });
});

describe("the proof of a column", () => {
  test("counts the rows that contradict it", () => {
    const checked = table({ result: RESULT, issueCounts: { side_unknown: 3, price_off_tick: 1 } });
    expect(proofOf("side", checked)).toEqual({ ok: false, text: "3 of 12 rows to check" });
    expect(proofOf("price", checked)?.ok).toBe(false);
    expect(proofOf("quantity", checked)).toEqual({ ok: true, text: "whole numbers" });
    expect(proofOf("", checked)).toBeUndefined();
    expect(proofOf("side", table())).toBeUndefined();
  });

  test("does not call an ambiguous order of day and month proven", () => {
    expect(proofOf("date", table({ result: RESULT }))?.ok).toBe(false);
    expect(proofOf("date", table({ result: RESULT, dateOrderProven: true }))?.ok).toBe(true);
  });
});
