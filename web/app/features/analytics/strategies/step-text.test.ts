import { expect, test } from "vitest";
import type { StrategyStep } from "#features/analytics/analytics-api.ts";
import { stepLines, stepName } from "#features/analytics/strategies/step-text.ts";

function leg(side: "long" | "short", strike: number, kind: "CE" | "PE" = "CE") {
  const contract = { underlying: "NIFTY", expiry: "2026-11-23", kind, strike };
  return { symbol: `NIFTY${strike}`, contract, side, quantity: 130, price: 20 };
}

const STEP: StrategyStep = {
  kind: "adjustment",
  at: "2026-11-18T04:35:00Z",
  timePrecision: "second",
  opened: [leg("short", 26_050), leg("long", 26_250)],
  closed: [leg("long", 26_400), leg("short", 26_200)],
  cash: 2_444,
};

test("legs that were replaced at the same distance were moved", () => {
  expect(stepName(STEP)).toBe("Calls moved down 150");
  expect(stepLines(STEP)).toEqual(["26,400 · 26,200 closed", "26,050 · 26,250 opened"]);
});

test("legs that were replaced at different distances were adjusted", () => {
  expect(stepName({ ...STEP, opened: [leg("short", 26_050), leg("long", 26_300)] })).toBe("Adjusted");
  expect(stepName({ ...STEP, opened: [leg("short", 26_050), leg("long", 26_250, "PE")] })).toBe("Adjusted");
  expect(stepName({ ...STEP, opened: STEP.closed })).toBe("Adjusted");
});

test("an opening has its number of legs and its credit or debit", () => {
  const opening = { ...STEP, kind: "opening" as const, closed: [], cash: 8_411 };
  expect([stepName(opening), ...stepLines(opening)]).toEqual(["Opened", "2 legs, credit ₹8,411"]);
  expect(stepLines({ ...opening, cash: -3_000 })).toEqual(["2 legs, debit ₹3,000"]);
});

test("a closing of several legs counts them", () => {
  expect(stepLines({ ...STEP, kind: "closing", opened: [] })).toEqual(["2 legs closed"]);
});

test("a reduction says how much was closed", () => {
  const reduction = { ...STEP, kind: "reduction" as const, opened: [] };
  expect([stepName(reduction), ...stepLines(reduction)]).toEqual([
    "Reduced",
    "130 of 26,400 CE · 26,200 CE closed",
  ]);
  const [first, second] = STEP.closed;
  if (!first || !second) throw new Error("no legs");
  const closed = [first, { ...second, quantity: 65 }];
  expect(stepLines({ ...reduction, closed })).toEqual(["26,400 CE · 26,200 CE closed"]);
});

test("a settlement names the settled legs", () => {
  const settlement = { ...STEP, kind: "settlement" as const, opened: [] };
  expect([stepName(settlement), ...stepLines(settlement)]).toEqual([
    "Settled",
    "26,400 CE · 26,200 CE settled",
  ]);
});
