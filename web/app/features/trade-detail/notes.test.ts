import { expect, it } from "vitest";
import { changedNotes, noteError } from "#features/trade-detail/notes.ts";
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

it("sends only notes that differ", () => {
  expect(changedNotes(trade, { notes: "Broke out ", psychology: " calm\n" })).toEqual({ psychology: "calm" });
});

it("sends an emptied note, which deletes it", () => {
  expect(changedNotes(trade, { notes: "  " })).toEqual({ notes: "" });
});

it("sends a stop loss as a number, and an emptied one as null", () => {
  expect(changedNotes(trade, { stopLoss: " 1480.50 " })).toEqual({ stopLoss: 1480.5 });
  expect(changedNotes({ ...trade, stopLoss: 1480.5 }, { stopLoss: "" })).toEqual({ stopLoss: null });
  expect(changedNotes({ ...trade, stopLoss: 1480.5 }, { stopLoss: "1480.50" })).toBeUndefined();
});

it("validates a stop loss before it is sent", () => {
  expect(noteError({ stopLoss: "soon" })).toBe("Enter the stop loss as a number, such as 1421.30.");
  expect(noteError({ stopLoss: "0" })).toBe("Enter a stop loss above 0.");
  expect(noteError({ stopLoss: "1480.50" })).toBeUndefined();
  expect(noteError({ notes: "calm" })).toBeUndefined();
});

it.each([{}, { notes: "Broke out" }, { psychology: " " }])("sends nothing for %j", (draft) => {
  expect(changedNotes(trade, draft)).toBeUndefined();
});
