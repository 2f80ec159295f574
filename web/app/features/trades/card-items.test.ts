import { expect, it } from "vitest";
import { cardItems, firstItems } from "#features/trades/card-items.ts";
import type { Trade } from "#features/trades/trade-pages.ts";

function at(timestamp: string): Trade {
  return {
    _id: timestamp,
    type: "buy",
    symbol: "ITC",
    quantity: 1,
    price: 400,
    value: 400,
    timestamp,
    timePrecision: "minute",
    broker: "groww",
    tradetype: "equity",
    exchange: "NSE",
  };
}

const NIGHT = at("2025-06-19T18:31:00Z");
const BEFORE = at("2025-06-19T18:29:00Z");
const NOON = at("2025-06-20T06:30:00Z");

it("inserts a heading before each day in India", () => {
  expect(cardItems({ trades: [NOON, NIGHT, BEFORE], rows: 3 }, true)).toEqual([
    { kind: "day", timestamp: NOON.timestamp, trades: 2 },
    { kind: "trade", row: 0 },
    { kind: "trade", row: 1 },
    { kind: "day", timestamp: BEFORE.timestamp, trades: 1 },
    { kind: "trade", row: 2 },
  ]);
});

it("ends after the first trades, without the heading of the next day", () => {
  const items = cardItems({ trades: [NOON, NIGHT, BEFORE], rows: 3 }, true);
  expect(firstItems(items, 1)).toEqual(items.slice(0, 2));
  expect(firstItems(items, 2)).toEqual(items.slice(0, 3));
  expect(firstItems(items, 3)).toEqual(items);
});

it("omits the count of a day that is not fully loaded", () => {
  const items = cardItems({ trades: [NOON, BEFORE], rows: 4 }, true);
  expect(items[0]).toMatchObject({ kind: "day", trades: 1 });
  expect(items[2]).toMatchObject({ kind: "day", trades: undefined });
  expect(items.slice(4)).toEqual([
    { kind: "trade", row: 2 },
    { kind: "trade", row: 3 },
  ]);
});

it("inserts no headings if the order is not by time", () => {
  expect(cardItems({ trades: [NOON, BEFORE], rows: 2 }, false)).toEqual([
    { kind: "trade", row: 0 },
    { kind: "trade", row: 1 },
  ]);
});
