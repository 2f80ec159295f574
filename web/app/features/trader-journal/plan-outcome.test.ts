import { expect, test } from "vitest";
import { parsePrice, planOutcome, strategyResultR } from "#features/trader-journal/plan-outcome.ts";

const PLAN = { plannedEntry: 182, plannedStop: 148, plannedTarget: 225, plannedRisk: null };
const LONG = {
  side: "long",
  quantity: 130,
  openQuantity: 0,
  entryPrice: 179,
  exitPrice: 215.55,
  net: 4_420,
  closedTrades: 2,
} as const;

test("a closed position is compared with its plan", () => {
  const outcome = planOutcome(PLAN, LONG);
  expect(outcome.targetR).toBeCloseTo(43 / 34);
  expect(outcome.movedPart).toBeCloseTo(0.85);
  // The risk is 34 rupees for each of 130 units.
  expect(outcome.resultR).toBeCloseTo(1);
  expect(outcome.misplaced).toEqual([]);
});

test("a short position gains when the price falls", () => {
  const short = { ...LONG, side: "short", entryPrice: 100, exitPrice: 94, net: -500 } as const;
  const plan = { plannedEntry: null, plannedStop: 105, plannedTarget: 88, plannedRisk: 1_000 };
  const outcome = planOutcome(plan, short);
  expect(outcome.targetR).toBeCloseTo(2.4);
  expect(outcome.movedPart).toBeCloseTo(0.5);
  // The planned risk in rupees is used before the one from the stop loss.
  expect(outcome.resultR).toBeCloseTo(-0.5);
});

test("an open position and an empty plan have no result", () => {
  const open = planOutcome(PLAN, { ...LONG, openQuantity: 65 });
  expect([open.movedPart, open.resultR]).toEqual([undefined, undefined]);
  const empty = { plannedEntry: null, plannedStop: null, plannedTarget: null, plannedRisk: null };
  expect(planOutcome(empty, LONG)).toEqual({
    targetR: undefined,
    movedPart: undefined,
    resultR: undefined,
    misplaced: [],
  });
});

test("prices on the wrong side of the entry are named and not counted", () => {
  const outcome = planOutcome({ ...PLAN, plannedStop: 190, plannedTarget: 170 }, LONG);
  expect(outcome.misplaced).toEqual(["plannedStop", "plannedTarget"]);
  expect([outcome.targetR, outcome.movedPart, outcome.resultR]).toEqual([undefined, undefined, undefined]);
});

test.each([
  [{ plannedRisk: 2_000 }, { state: "closed", net: 1_520 }, 0.76],
  [{ plannedRisk: 2_000 }, { state: "closed", net: -3_000 }, -1.5],
  [{ plannedRisk: null }, { state: "closed", net: 1_520 }, undefined],
  [{ plannedRisk: 2_000 }, { state: "open", net: 1_520 }, undefined],
  [{ plannedRisk: 2_000 }, { state: "awaitingSettlement", net: 1_520 }, undefined],
] as const)("divides the result of a closed strategy by its planned risk: %o, %o", (plan, strategy, r) => {
  expect(strategyResultR(plan, strategy)).toBe(r);
});

test.each([
  ["", null],
  [" 1,588.40 ", 1_588.4],
  ["₹86.4255", 86.4255],
  ["0", undefined],
  ["-5", undefined],
  ["1.23456", undefined],
  ["abc", undefined],
  ["123456789012", undefined],
])("parses the price %s", (text, price) => {
  expect(parsePrice(text)).toBe(price);
});
