import * as v from "valibot";
import { describe, expect, test } from "vitest";
import { adjustmentSchema, toFields } from "#features/analytics/entries/adjustment-schema.ts";
import { adjustmentWords } from "#features/analytics/entries/adjustment-words.ts";

const WHERE = { symbol: " infy ", date: "2025-06-20" } as const;

function read(fields: Partial<ReturnType<typeof toFields>>) {
  return v.safeParse(adjustmentSchema, { ...toFields({}), ...WHERE, ...fields });
}

describe("each kind sends what it asks for, and nothing else", () => {
  test.each([
    [
      { kind: "split", newShares: "5", oldShares: "1", price: "12" },
      { kind: "split", newShares: 5, oldShares: 1 },
    ],
    [
      { kind: "rename", newSymbol: "infosys" },
      { kind: "rename", newSymbol: "INFOSYS" },
    ],
    [
      { kind: "settlement", price: "0" },
      { kind: "settlement", price: 0 },
    ],
    [
      { kind: "opening", broker: "groww", quantity: "40", price: ".25" },
      { kind: "opening", broker: "groww", quantity: 40, price: 0.25 },
    ],
  ])("%o", (fields, sent) =>
    expect(read(fields).output).toEqual({ symbol: "INFY", date: "2025-06-20", ...sent }),
  );
});

describe("what is missing or makes no sense is said beside its field", () => {
  test.each([
    [{ kind: "bonus", newShares: "0", oldShares: "" }, ["newShares", "oldShares"]],
    [{ kind: "bonus", newShares: "1.5", oldShares: "1" }, ["newShares"]],
    [{ kind: "settlement", price: "1,200" }, ["price"]],
    [{ kind: "settlement", price: "." }, ["price"]],
    [{ kind: "opening", broker: "", quantity: "0", price: "1.23456" }, ["broker", "quantity", "price"]],
    [{ kind: "rename", newSymbol: " " }, ["newSymbol"]],
    [{ kind: "split", date: "2025-02-30" }, ["date"]],
    [{ kind: "merger" }, ["kind"]],
  ])("%o", (fields, wrong) => {
    const { issues } = read(fields);
    expect(issues?.map(({ path }) => path?.[0]?.key)).toEqual(wrong);
  });
});

test("a draft stands in the fields", () => {
  expect(toFields({ kind: "opening", symbol: "TCS", quantity: 12 })).toMatchObject({
    kind: "opening",
    symbol: "TCS",
    quantity: "12",
    price: "",
  });
});

test("an entry is said in a sentence", () => {
  const where = { id: "1", symbol: "INFY", date: "2025-06-20" };
  expect(adjustmentWords({ ...where, kind: "split", newShares: 5, oldShares: 1 })).toBe(
    "INFY split, 5 new shares for 1 old, on 20 Jun 2025",
  );
  expect(adjustmentWords({ ...where, kind: "opening", broker: "groww", quantity: 1_500, price: 42.5 })).toBe(
    "1,500 INFY held at Groww since 20 Jun 2025, bought for ₹42.50 each",
  );
});
