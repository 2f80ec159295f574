import * as v from "valibot";
import { describe, expect, test } from "vitest";
import {
  type CorporateActionFields,
  corporateActionSchema,
  NO_FIELDS,
} from "#features/analytics/corporate-actions/corporate-action-schema.ts";

const SYMBOL_AND_DATE = { symbol: " infy ", date: "2025-06-20" } as const;

function parse(fields: Partial<CorporateActionFields>) {
  return v.safeParse(corporateActionSchema, { ...NO_FIELDS, ...SYMBOL_AND_DATE, ...fields });
}

describe("sends only the fields of the kind", () => {
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
      { kind: "bonus", newShares: "1", oldShares: "1", allottedOn: "2025-06-27" },
      { kind: "bonus", newShares: 1, oldShares: 1, allottedOn: "2025-06-27" },
    ],
    [
      { kind: "merger", newSymbol: "hdfcbank", newShares: "42", oldShares: "25", price: " " },
      { kind: "merger", newSymbol: "HDFCBANK", newShares: 42, oldShares: 25 },
    ],
    [
      { kind: "demerger", newSymbol: "itchotels", newShares: "1", oldShares: "10", costPercent: "13.51" },
      { kind: "demerger", newSymbol: "ITCHOTELS", newShares: 1, oldShares: 10, costPercent: 13.51 },
    ],
    [
      { kind: "fractionPayment", broker: "zerodha", price: "1320.5" },
      { kind: "fractionPayment", broker: "zerodha", price: 1320.5 },
    ],
    [
      { kind: "settlement", price: "0" },
      { kind: "settlement", price: 0 },
    ],
    [
      { kind: "opening", broker: "groww", quantity: "40", price: ".25" },
      { kind: "opening", broker: "groww", quantity: 40, price: 0.25 },
    ],
    [
      { kind: "opening", broker: "groww", quantity: "1,20,000", price: "₹1,421.30" },
      { kind: "opening", broker: "groww", quantity: 120000, price: 1421.3 },
    ],
  ])("%o", (fields, sent) =>
    expect(parse(fields).output).toEqual({ symbol: "INFY", date: "2025-06-20", ...sent }),
  );
});

describe("reports missing or invalid values at their fields", () => {
  test.each([
    [{ kind: "bonus", newShares: "0", oldShares: "" }, ["newShares", "oldShares"]],
    [{ kind: "bonus", newShares: "1.5", oldShares: "1" }, ["newShares"]],
    [{ kind: "settlement", price: "1,20" }, ["price"]],
    [{ kind: "settlement", price: "." }, ["price"]],
    [{ kind: "opening", broker: "", quantity: "0", price: "1.23456" }, ["broker", "quantity", "price"]],
    [{ kind: "rename", newSymbol: " " }, ["newSymbol"]],
    [{ kind: "split", date: "2025-02-30" }, ["date", "newShares", "oldShares"]],
    [{ kind: "merger" }, ["newSymbol", "newShares", "oldShares"]],
    [
      { kind: "demerger", newSymbol: "X", newShares: "1", oldShares: "1", costPercent: "100" },
      ["costPercent"],
    ],
    [{ kind: "other" as "split" }, ["kind"]],
  ])("%o", (fields, wrong) => {
    const { issues } = parse(fields);
    expect(issues?.map(({ path }) => path?.[0]?.key)).toEqual(wrong);
  });
});
