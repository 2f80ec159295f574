import * as v from "valibot";
import { describe, expect, test } from "vitest";
import { EMPTY, ENTRY_FIELDS, entrySchema } from "#features/journal/entry-schema.ts";

const VALID = {
  symbol: " infy ",
  quantity: "75",
  buyPrice: "1588.40",
  sellPrice: "1602.55",
  targetPrice: "1610",
  stopLoss: "1575",
  buyDateTime: "2025-06-20T10:22",
  sellDateTime: "2025-06-20T14:05",
};

function invalidFields(fields: typeof EMPTY): (string | undefined)[] {
  const { issues } = v.safeParse(entrySchema, fields, { abortPipeEarly: true });
  return (issues ?? []).map((issue) => v.getDotPath(issue) ?? undefined);
}

describe("a journal entry", () => {
  test("is valid, with its symbol in capitals", () => {
    expect(v.parse(entrySchema, VALID)).toMatchObject({ symbol: "INFY", quantity: "75" });
  });

  test("[5X-03] requires every field", () => {
    expect(invalidFields(EMPTY)).toEqual(ENTRY_FIELDS);
    for (const field of ENTRY_FIELDS) expect(invalidFields({ ...VALID, [field]: "" })).toEqual([field]);
  });

  test("may be a short sale and a fraction of a coin", () => {
    expect(invalidFields({ ...VALID, buyDateTime: "2025-06-20T15:05", quantity: "0.000001" })).toEqual([]);
  });

  test.each([
    ["quantity", "0"],
    ["quantity", "0.0000001"],
    ["quantity", "1e3"],
    ["quantity", "1000000000"],
    ["buyPrice", "0"],
    ["sellPrice", "1.00001"],
    ["stopLoss", "100000000000"],
    ["targetPrice", "-5"],
    ["buyDateTime", "1989-12-31T23:59"],
    ["sellDateTime", "2999-01-01T00:00"],
    ["symbol", "x".repeat(65)],
  ])("is invalid with the %s %j", (field, value) => {
    expect(invalidFields({ ...VALID, [field]: value })).toEqual([field]);
  });
});
