import { expect, it } from "vitest";
import type { Schemas } from "#lib/api.ts";
import { entryType, manualEntries, manualEntryResult } from "./manual-entries.ts";

function trade(type: "buy" | "sell", pairId: string | undefined, change: Partial<Schemas["Trade"]> = {}) {
  return {
    _id: `${pairId}-${type}`,
    type,
    symbol: "ITC",
    quantity: 10,
    price: 400.1,
    value: 4001,
    timestamp: "2026-11-02T03:45:00Z",
    timePrecision: "minute" as const,
    broker: "zerodha" as const,
    tradetype: "equity" as const,
    exchange: "NSE" as const,
    ...(pairId && { pairId }),
    ...change,
  };
}

it("groups the legs of an entry, and ignores imported trades", () => {
  const [sold, bought] = [trade("sell", "a", { value: 4003.5 }), trade("buy", "a")];
  const entries = manualEntries([sold, trade("buy", undefined), trade("buy", "b"), bought]);
  expect(entries).toEqual([
    { pairId: "a", buy: bought, sell: sold },
    { pairId: "b", buy: trade("buy", "b"), sell: undefined },
  ]);
  expect(entries.map(manualEntryResult)).toEqual([2.5, undefined]);
});

it("recognises a trade that was sold first as short", () => {
  const later = { timestamp: "2026-11-02T09:00:00Z" };
  const kinds = [
    [trade("buy", "a"), trade("sell", "a", later)],
    [trade("buy", "a", later), trade("sell", "a")],
    [trade("sell", "a")],
  ];
  expect(kinds.flatMap(manualEntries).map(entryType)).toEqual(["buy", "sell", "sell"]);
});

it("returns no result for legs of different quantities", () => {
  const [entry] = manualEntries([trade("buy", "a"), trade("sell", "a", { quantity: 5 })]);
  expect(entry && manualEntryResult(entry)).toBeUndefined();
});
