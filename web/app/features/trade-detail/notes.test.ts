import { expect, it } from "vitest";
import { changedNotes } from "#features/trade-detail/notes.ts";
import type { Trade } from "#features/trade-detail/trade-requests.ts";

const trade: Trade = {
  _id: "7",
  type: "buy",
  symbol: "INFY",
  quantity: 10,
  price: 1500,
  value: 15000,
  timestamp: "2025-06-20T09:17:00Z",
  timePrecision: "minute",
  broker: "zerodha",
  tradetype: "equity",
  exchange: "NSE",
  notes: "Broke out",
};

it("sends the notes that differ, and no other", () => {
  expect(changedNotes(trade, { notes: "Broke out ", psychology: " calm\n" })).toEqual({ psychology: "calm" });
});

it("sends an emptied note, which takes it away", () => {
  expect(changedNotes(trade, { notes: "  " })).toEqual({ notes: "" });
});

it.each([{}, { notes: "Broke out" }, { psychology: " " }])("has nothing to send for %j", (draft) => {
  expect(changedNotes(trade, draft)).toBeUndefined();
});
