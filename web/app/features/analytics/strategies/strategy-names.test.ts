import { describe, expect, test } from "vitest";
import { CONDOR } from "#features/analytics/strategies/strategy-fixture.ts";
import {
  daysText,
  heldDays,
  SHAPES,
  shapePlural,
  shapeTitle,
  strategyName,
  strikesText,
} from "#features/analytics/strategies/strategy-names.ts";

describe("the name of a strategy", () => {
  test("has underlying, shape and expiry", () =>
    expect(strategyName(CONDOR)).toBe("NIFTY iron condor 23 Nov 2026"));

  test("is the one by the trader, if there is one", () => {
    const named = { ...CONDOR, name: "Budget day condor" };
    expect([strategyName(named), shapeTitle(named)]).toEqual([
      "Budget day condor",
      "NIFTY iron condor 23 Nov 2026",
    ]);
  });

  test("has the first and last of several expiries", () => {
    const [near, far] = CONDOR.legs;
    const contract = { underlying: "NIFTY", expiry: "2026-12-29", kind: "CE" as const, strike: 26_400 };
    const legs = near && far ? [{ ...far, contract }, near] : [];
    expect(strategyName({ ...CONDOR, shape: "diagonal", legs })).toBe(
      "NIFTY diagonal spread 23 Nov 2026 to 29 Dec 2026",
    );
  });
});

test.each([
  ["ironButterfly", "iron butterflies"],
  ["shortStrangle", "short strangles"],
  ["futureAndOption", "futures with options"],
  ["custom", "custom strategies"],
] as const)("several %s are %s", (shape, name) => expect(shapePlural(shape)).toBe(name));

test("the filter lists every shape with a capital letter", () => {
  expect(SHAPES).toHaveLength(25);
  expect(SHAPES[0]).toEqual({ value: "ironCondor", label: "Iron condor" });
});

test("replaced legs are not among the last strikes", () =>
  expect(strikesText(CONDOR)).toBe("25,300 · 25,500 · 26,050 · 26,250"));

test("legs that were all closed within minutes keep their strikes", () => {
  const closedAt = "2026-11-12T05:04:00Z";
  const legs = CONDOR.legs.slice(2, 4).map((leg) => ({ ...leg, closedAt }));
  expect(strikesText({ legs })).toBe("25,300 · 25,500");
});

test("days are those of India and end with the last trade", () => {
  expect([daysText(CONDOR), heldDays(CONDOR)]).toEqual(["12 to 20 Nov 2026", 8]);
  const open = { openedAt: CONDOR.openedAt, closedAt: null };
  expect([daysText(open), heldDays(open)]).toEqual(["From 12 Nov 2026", undefined]);
});
