import { expect, it } from "vitest";
import { adjustmentText } from "./adjustment-text.ts";

const entry = {
  id: "1",
  changeId: "1",
  addedAt: "2026-11-20T10:15:00Z",
  symbol: "INFY",
  date: "2025-06-20",
} as const;

it("describes an entry in a sentence", () => {
  expect(adjustmentText({ ...entry, kind: "split", newShares: 5, oldShares: 1 })).toBe(
    "INFY split, 5 new shares for 1 old, on 20 Jun 2025",
  );
  expect(adjustmentText({ ...entry, kind: "opening", broker: "groww", quantity: 1_500, price: 42.5 })).toBe(
    "1,500 INFY held at Groww since 20 Jun 2025, bought at ₹42.50 each",
  );
  expect(
    adjustmentText({ ...entry, kind: "opening", broker: "zerodha", brokerAccount: 2, quantity: 1, price: 1 }),
  ).toBe("1 INFY held at Zerodha 2 since 20 Jun 2025, bought at ₹1.00 each");
  expect(
    adjustmentText({
      ...entry,
      kind: "demerger",
      newSymbol: "X",
      newShares: 1,
      oldShares: 10,
      costPercent: 13.51,
    }),
  ).toBe("X demerged from INFY, 1 new shares for 10 held, 13.51% of the cost, on 20 Jun 2025");
  expect(adjustmentText({ ...entry, kind: "dismissal", symbol: "unknownInstrument:zerodha:NEWFUND" })).toBe(
    "Instrument NEWFUND: kept as it is",
  );
  expect(adjustmentText({ ...entry, kind: "dismissal", symbol: "oddPrice:zerodha:2" })).toBe(
    "Price of 20 Jun 2025: kept as it is",
  );
});
