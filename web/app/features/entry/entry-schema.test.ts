import * as v from "valibot";
import { expect, it } from "vitest";
import { afterEntry, type EntryFields, entrySchema, NEW_ENTRY } from "./entry-schema.ts";

const LONG: EntryFields = {
  ...NEW_ENTRY,
  broker: "zerodha",
  stockName: "Reliance Industries",
  symbol: "RELIANCE",
  quantity: "50",
  buyPrice: "1421.30",
  buyDate: "2026-11-02T09:15",
  sellPrice: "1440.85",
  sellDate: "2026-11-02T15:10",
};

/** Returns the messages that the form shows: the first of each field. */
function messages(change: Partial<EntryFields>): string[] {
  const { issues = [] } = v.safeParse(entrySchema, { ...LONG, ...change });
  const first = new Map<string | null, string>();
  for (const issue of issues) {
    const field = v.getDotPath(issue);
    if (!first.has(field)) first.set(field, issue.message);
  }
  return Array.from(first, ([field, message]) => `${field}: ${message}`);
}

it("[3T-01] [3T-02] [3T-03] [3T-04] [3T-05] [9T-06] defaults to a BUY on the NSE in equity", () => {
  expect(NEW_ENTRY).toMatchObject({ type: "BUY", market: "NSE", tradetype: "equity" });
  expect(messages({})).toEqual([]);
});

it("[5T-01] [5T-02] requires all fields except the three notes", () => {
  expect(messages({ ...NEW_ENTRY, type: "", market: "" }).toSorted()).toEqual(
    [
      "broker: Choose a broker.",
      "stockName: Enter the stock name.",
      "symbol: Enter the symbol.",
      "type: Choose BUY or SELL.",
      "market: Choose NSE or BSE.",
      "quantity: Enter the quantity.",
      "buyPrice: Enter the buy price.",
      "sellPrice: Enter the sell price.",
      "buyDate: Enter the buy date and time.",
      "sellDate: Enter the sell date and time.",
    ].toSorted(),
  );
  expect(messages({ tradetype: "" })).toEqual(["tradetype: Choose a trade type."]);
});

it("[T12] accepts an open position: a buy or a sell alone", () => {
  expect(messages({ sellPrice: "", sellDate: "" })).toEqual([]);
  expect(messages({ type: "SELL", buyPrice: "", buyDate: "", stopLoss: "1450" })).toEqual([]);
  // A leg is empty or complete.
  expect(messages({ sellPrice: "" })).toEqual(["sellPrice: Enter the sell price."]);
  expect(messages({ buyPrice: "", buyDate: "", sellDate: "" }).toSorted()).toEqual([
    "sellDate: Enter the sell date and time.",
  ]);
  expect(messages({ buyPrice: "", buyDate: "", stopLoss: "1400" })).toEqual([
    "stopLoss: A stop loss belongs to the trade that opens the position. Fill in that trade, or clear the stop loss.",
  ]);
});

it("[T12] requires no stock name for an option or a future", () => {
  expect(messages({ tradetype: "fno", stockName: "" })).toEqual([]);
  expect(messages({ tradetype: "equity", stockName: " " })).toEqual(["stockName: Enter the stock name."]);
});

it.each<[Partial<EntryFields>, string]>([
  [{ buyPrice: "0" }, "buyPrice: Enter a buy price above 0."],
  [{ sellPrice: "1.00001" }, "sellPrice: Use at most 4 decimals."],
  [{ sellPrice: "1e3" }, "sellPrice: Enter the sell price as a number, such as 1421.30."],
  [{ sellPrice: "-5" }, "sellPrice: Enter the sell price as a number, such as 1421.30."],
  [{ buyPrice: "100000000000" }, "buyPrice: Enter a price below ₹1,00,00,00,00,000."],
  [{ quantity: "0" }, "quantity: Enter a quantity above 0."],
  [{ quantity: "1.5" }, "quantity: Enter a whole quantity, such as 50."],
  [{ quantity: "1000000000" }, "quantity: Enter a quantity below 1,00,00,00,000."],
  [{ buyDate: "1989-12-31T23:59" }, "buyDate: Enter a time in 1990 or later."],
  [{ sellDate: "2999-01-01T09:15" }, "sellDate: This time is in the future."],
  [{ notes: "x".repeat(2_001) }, "notes: Use at most 2,000 characters for the notes."],
])("[5T-03] [5T-04] rejects %j at its field", (change, message) => {
  expect(messages(change)).toContain(message);
});

it.each([
  ["BUY", "2026-11-02T15:10", "2026-11-02T09:15", "sellDate"],
  ["SELL", "2026-11-02T09:15", "2026-11-02T15:10", "buyDate"],
])("rejects a %s bought at %s and sold at %s", (type, buyDate, sellDate, field) => {
  const errors = messages({ type, buyDate, sellDate });
  expect(errors).toHaveLength(1);
  expect(errors[0]).toMatch(new RegExp(`^${field}: This is before the`));
});

it.each<[Partial<EntryFields>, string[]]>([
  [{ stopLoss: "1400" }, []],
  [{ stopLoss: "1421.30" }, ["stopLoss: For a BUY trade, the stop loss must be below the buy price."]],
  [{ stopLoss: "0" }, ["stopLoss: Enter a stop loss above 0."]],
  [{ stopLoss: "soon" }, ["stopLoss: Enter the stop loss as a number, such as 1421.30."]],
])("validates %j as the stop loss of a long trade", (change, errors) => {
  expect(messages(change)).toEqual(errors);
});

it("requires the stop loss of a short trade to be above the sell price", () => {
  const short = { type: "SELL", buyDate: "2026-11-02T15:10", sellDate: "2026-11-02T09:15" };
  expect(messages({ ...short, stopLoss: "1450" })).toEqual([]);
  expect(messages({ ...short, stopLoss: "1440.85" })).toEqual([
    "stopLoss: For a SELL trade, the stop loss must be above the sell price.",
  ]);
});

it("accepts a short trade bought after the sell, or in the same minute", () => {
  expect(messages({ type: "SELL", buyDate: "2026-11-02T15:10", sellDate: "2026-11-02T09:15" })).toEqual([]);
  expect(messages({ type: "SELL", buyDate: "2026-11-02T09:15", sellDate: "2026-11-02T09:15" })).toEqual([]);
});

it("[4T-07] [T3] [T12] keeps only the book, side, market and times for the next entry", () => {
  const noted = {
    ...LONG,
    type: "SELL",
    market: "BSE",
    notes: "#fomo",
    psychology: "Rushed",
    marketOutlook: "Falling",
    stopLoss: "1450",
  };
  expect(afterEntry(noted)).toEqual({
    ...NEW_ENTRY,
    broker: "zerodha",
    type: "SELL",
    market: "BSE",
    buyDate: LONG.buyDate,
    sellDate: LONG.sellDate,
  });
});
