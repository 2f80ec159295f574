import { expect, test } from "vitest";
import { CONDOR } from "#features/analytics/strategies/strategy-fixture.ts";
import {
  canSplit,
  listSplitLegs,
  splitDecision,
  splitError,
  splitRows,
} from "#features/analytics/strategy-decisions/split.ts";

const [call, put] = [CONDOR.legs.slice(0, 1), CONDOR.legs.slice(2, 3)];
const LEGS = listSplitLegs({ legs: [...call, ...put] });
const [CALL = "", PUT = ""] = LEGS.map(({ positionId }) => positionId);

test("parts of a position are one leg", () => {
  const legs = listSplitLegs({ legs: [...call, ...put, ...call] });
  expect(legs.map(({ name, quantity }) => [name, quantity])).toEqual([
    ["NIFTY 23 Nov 2026 26,200 CE", 260],
    ["NIFTY 23 Nov 2026 25,500 PE", 130],
  ]);
});

test("one leg of one unit cannot be split", () => {
  const single = call.map((leg) => ({ ...leg, quantity: 1 }));
  expect([canSplit({ legs: single }), canSplit({ legs: call }), canSplit(CONDOR)]).toEqual([
    false,
    true,
    true,
  ]);
});

test("the quantities that move and stay are shown, and sent", () => {
  const rows = splitRows(LEGS, { [CALL]: "65" });
  expect(rows.map(({ moved, kept }) => [moved, kept])).toEqual([
    [65, 65],
    [0, 130],
  ]);
  expect(splitError(rows)).toBe("");
  expect(splitDecision(rows)).toEqual({ action: "split", legs: [{ positionId: CALL, quantity: 65 }] });
});

test("fractions are exact", () => {
  const [coin] = LEGS.map((leg) => ({ ...leg, quantity: 0.3 }));
  const [row] = splitRows(coin ? [coin] : [], { [CALL]: "0.1" });
  expect(row).toMatchObject({ moved: 0.1, kept: 0.2, error: "" });
});

test.each([
  [{}, "Enter a quantity to move of at least one leg."],
  [{ [CALL]: "130", [PUT]: "130" }, "Leave a part of at least one leg in this strategy."],
  [{ [CALL]: "131" }, "Correct the marked quantity first."],
  [{ [CALL]: "-1" }, "Correct the marked quantity first."],
  [{ [CALL]: "0.5" }, "Correct the marked quantity first."],
])("%o is rejected: %s", (input, error) => {
  const rows = splitRows(LEGS, input);
  expect(splitError(rows)).toBe(error);
  if (error.startsWith("Correct")) expect(rows[0]?.error).toBe("Enter a whole number from 0 to 130.");
});
