import { expect, test } from "vitest";
import type { Strategy } from "#features/analytics/analytics-api.ts";
import { CONDOR } from "#features/analytics/strategies/strategy-fixture.ts";
import {
  decisionText,
  indexOfPlace,
  listGroupings,
} from "#features/analytics/strategy-decisions/groupings.ts";

const [bought, sold, other, added] = CONDOR.legs;

/** Bull call spread whose bought call may belong to either of two sold ones. */
function spread(changes: Partial<Strategy> = {}): Strategy {
  const legs = [bought, sold].flatMap((leg) => leg ?? []);
  const candidates = [
    {
      id: "1".repeat(20),
      shape: "bullCallSpread" as const,
      current: false,
      legs: [bought, other].flatMap((leg) => leg ?? []),
    },
    { id: "2".repeat(20), shape: "bullCallSpread" as const, current: true, legs },
  ];
  return { ...CONDOR, shape: "bullCallSpread", legs, candidates, ...changes };
}

test("the current grouping is first, and is confirmed as it is", () => {
  const groupings = listGroupings(spread());
  expect(groupings.map(({ isCurrent, decision }) => [isCurrent, decision])).toEqual([
    [true, { action: "confirm" }],
    [false, { action: "choose", candidateId: "1".repeat(20) }],
  ]);
});

test("a strategy that grew is current with all its legs", () => {
  const legs = [bought, sold, added].flatMap((leg) => leg ?? []);
  const groupings = listGroupings(spread({ shape: "custom", legs }));
  expect(groupings.map((grouping) => grouping.legs.length)).toEqual([3, 2]);
});

test.each([
  [{ action: "confirm" }, "Iron condor confirmed"],
  [{ action: "confirm", name: "Budget day" }, "Renamed to Budget day"],
  [{ action: "confirm", name: "" }, "Named after its shape"],
  [{ action: "choose", candidateId: "1" }, "Grouped as iron condor"],
  [{ action: "join", strategyIds: ["1"] }, "Joined with 1 strategy"],
] as const)("the text of %o is %s", (decision, text) =>
  expect(
    decisionText("strategyIds" in decision ? { ...decision, strategyIds: ["1"] } : decision, [CONDOR]),
  ).toBe(text),
);

test.each([
  [["a", "b", "c"], { id: "b", index: 0 }, 1],
  [["a", "c"], { id: "b", index: 1 }, 1],
  [["a"], { id: "b", index: 1 }, 0],
  [[], { id: "b", index: 1 }, -1],
] as const)("in %o the place %o is at %d", (ids, place, index) =>
  expect(indexOfPlace(ids, place)).toBe(index),
);
