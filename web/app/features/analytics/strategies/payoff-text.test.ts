import { describe, expect, test } from "vitest";
import { breakEvensText, changeText, payoffHeadline } from "#features/analytics/strategies/payoff-text.ts";

describe("the headline of the payoff", () => {
  test.each([
    [8_025, 10_613, -15_503, "It closed at 76% of what expiry could pay"],
    [10_612, 10_613, -15_503, "It closed at 99% of what expiry could pay"],
    [11_000, 10_613, -15_503, "It made ₹11,000, more than expiry could pay"],
    [500, null, -2_000, "It made ₹500; the profit had no limit"],
    [-7_750, 10_613, -15_500, "It lost 50% of what expiry could cost"],
    [-16_000, 10_613, -15_500, "It lost ₹16,000, more than expiry could cost"],
    [-900, 5_000, null, "It lost ₹900; the loss had no limit"],
    [0, 5_000, null, "It closed without profit or loss"],
  ])("of a result of %d with limits of %s and %s", (net, maxProfit, maxLoss, headline) =>
    expect(payoffHeadline({ state: "closed", net }, { maxProfit, maxLoss })).toBe(headline),
  );

  test("of an open strategy has its limits", () => {
    const open = { state: "open", net: 0 } as const;
    expect(payoffHeadline(open, { maxProfit: 10_613, maxLoss: -15_503 })).toBe(
      "At expiry it can make up to ₹10,613 and can lose up to ₹15,503",
    );
    expect(payoffHeadline(open, { maxProfit: 5_000, maxLoss: null })).toBe(
      "At expiry it can make up to ₹5,000 and the loss has no limit",
    );
    expect(payoffHeadline({ state: "awaitingSettlement", net: 0 }, { maxProfit: null, maxLoss: -900 })).toBe(
      "At expiry the profit has no limit and it could lose up to ₹900",
    );
  });
});

const PAYOFF = { expiry: "2026-11-23", points: [], maxLoss: null, brokerageMissing: false };

test("break-evens are whole prices", () => {
  expect(breakEvensText({ breakEvens: [25_418.4, 26_130.6] })).toBe("25,418 · 26,131");
  expect(breakEvensText({ breakEvens: [] })).toBe("None");
});

test("adjustments that change profit and break-evens are described", () => {
  const first = { ...PAYOFF, maxProfit: 8_871, breakEvens: [25_432, 26_263] };
  const last = { ...PAYOFF, maxProfit: 10_613, breakEvens: [25_418, 26_131] };
  expect(changeText(first, last)).toBe(
    "The adjustments changed the greatest profit by +\u2060₹1,742 and moved the break-evens from 25,432 · 26,263 to 25,418 · 26,131.",
  );
  expect(changeText(first, first)).toBe("");
});
