import * as v from "valibot";
import { expect, it } from "vitest";
import { changedFields, toFields, tradeEditSchema } from "#features/trade-detail/trade-edit-schema.ts";
import type { Trade } from "#features/trade-detail/trade-requests.ts";

const trade: Trade = {
  _id: "7",
  type: "buy",
  symbol: "INFY",
  quantity: 10,
  price: 1500.3333,
  value: 15003.33,
  timestamp: "2025-06-20T09:17:05Z",
  timePrecision: "second",
  broker: "zerodha",
  tradetype: "equity",
  exchange: "NSE",
};
const fields = toFields(trade);

it("accepts an unchanged trade and sends nothing", () => {
  expect(fields.timestamp).toBe("2025-06-20T14:47:05");
  expect(v.parse(tradeEditSchema, fields)).toEqual(fields);
  expect(changedFields(trade, fields)).toBeUndefined();
});

it("sends only fields that differ, with times in India time", () => {
  const changed = { ...fields, price: "1499.5", timestamp: "2025-06-20T14:47:00" };
  expect(changedFields(trade, changed)).toEqual({ price: 1499.5, timestamp: "2025-06-20T14:47:00+05:30" });
});

it.each([
  ["symbol", " ", "Enter the symbol."],
  ["quantity", "0", "Enter a quantity above 0."],
  ["quantity", "1.5", "Enter a whole quantity, such as 50."],
  ["price", "", "Enter the price."],
  ["price", "0.00", "Enter a price above 0."],
  ["price", "1.23456", "Use at most 4 decimals."],
  ["timestamp", "", "Enter the date and time."],
  ["timestamp", "1989-12-31T10:00", "Enter a time in 1990 or later."],
  ["timestamp", "2999-01-01T10:00", "This time is in the future."],
] as const)("rejects a %s of %j", (field, value, message) => {
  const { success, issues } = v.safeParse(tradeEditSchema, { ...fields, [field]: value });
  expect(success).toBe(false);
  expect(issues?.[0]).toMatchObject({ message, path: [{ key: field }] });
});
