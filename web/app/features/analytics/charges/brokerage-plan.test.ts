import { expect, test } from "vitest";
import {
  type BrokeragePrice,
  planLabel,
  replacedPrices,
} from "#features/analytics/charges/brokerage-plan.ts";

test("new prices replace those of the same orders that begin with them or before the last known day", () => {
  const before: BrokeragePrice = { kind: "options", flat: 20 };
  const same: BrokeragePrice = { kind: "options", from: "2025-06-01", flat: 18 };
  const within: BrokeragePrice = { kind: "options", from: "2025-06-10", flat: 17 };
  const later: BrokeragePrice = { kind: "options", from: "2025-07-01", flat: 10 };
  const futures: BrokeragePrice = { kind: "futures", from: "2025-06-01", percent: 0.03 };
  const prices: BrokeragePrice[] = [{ kind: "options", from: "2025-06-01", flat: 15 }];
  expect(replacedPrices([before, same, within, later, futures], prices, "2025-06-30")).toEqual([
    same,
    within,
  ]);
});

test("a price of zero is called no brokerage", () => {
  expect(planLabel([{ kind: "delivery", from: "2025-06-01", flat: 0 }])).toBe(
    "Set no brokerage for delivery from 1 Jun 2025 on",
  );
});
