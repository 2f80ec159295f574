import { expect, test } from "vitest";
import {
  duration,
  factor,
  inrLarge,
  inrWhole,
  signedShort,
  signedWhole,
} from "#features/analytics/analytics-format.ts";
import { multiple, percent } from "#lib/ratio-format.ts";

test.each([
  [0, "0"],
  [-0.4, "0"],
  [803.6, "+804"],
  [-999.4, "−999"],
  [999.6, "+1k"],
  [-9_349, "−9.3k"],
  [12_345, "+12k"],
  [99_499, "+99k"],
  [99_500, "+1L"],
  [-1_23_456, "−1.2L"],
  [99_49_999, "+99L"],
  [99_50_000, "+1Cr"],
])("%d in a cell is %s", (value, text) => expect(signedShort(value)).toBe(text));

test.each([
  [0, undefined],
  [-99_999.49, undefined],
  [99_999.5, "₹1\u00a0L"],
  [-12_34_567.89, "−\u2060₹12.35\u00a0L"],
  [99_99_499, "₹99.99\u00a0L"],
  [99_99_500, "₹1\u00a0Cr"],
  [2_53_97_71_054.72, "₹253.98\u00a0Cr"],
])("%d in a tile is %s", (value, text) => expect(inrLarge(value)).toBe(text));

test("rupees in a sentence have Indian grouping, a minus sign and no paise", () => {
  expect(inrWhole(1_42_953.5)).toBe("₹1,42,954");
  expect(inrWhole(-0.3)).toBe("₹0");
  expect(signedWhole(-34_124.2)).toBe("−\u2060₹34,124");
  expect(signedWhole(996.7)).toBe("+\u2060₹997");
  expect(signedWhole(-0.2)).toBe("₹0");
});

test("rates and factors", () => {
  expect([percent(0.5294), percent(1), factor(1.333), factor(1_234.5)]).toEqual([
    "52.9%",
    "100.0%",
    "1.33",
    "1,234.50",
  ]);
});

test("multiples of the initial risk have their sign", () => {
  expect([multiple(1.5), multiple(-1.004), multiple(0)]).toEqual(["+1.50R", "−1.00R", "0.00R"]);
});

test.each([
  [1, "1 second"],
  [60, "1 minute"],
  [7_100, "118 minutes"],
  [7_200, "2 hours"],
  [172_800, "2 days"],
])("%d seconds are %s", (seconds, text) => expect(duration(seconds)).toBe(text));
