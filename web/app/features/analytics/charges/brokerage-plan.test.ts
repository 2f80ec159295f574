import { expect, test } from "vitest";
import { withPrices } from "#features/analytics/charges/brokerage-plan.ts";

test("new prices replace those of the same orders and day only", () => {
  const settings = {
    plan: "standard",
    womanFirstHolder: false,
    brokerage: [
      { kind: "options" as const, flat: 20 },
      { kind: "options" as const, from: "2025-06-01", flat: 18 },
      { kind: "futures" as const, from: "2025-06-01", percent: 0.03 },
    ],
  };
  expect(withPrices(settings, [{ kind: "options", from: "2025-06-01", flat: 15 }])).toEqual({
    plan: "standard",
    womanFirstHolder: false,
    brokerage: [
      settings.brokerage[0],
      settings.brokerage[2],
      { kind: "options", from: "2025-06-01", flat: 15 },
    ],
  });
});
