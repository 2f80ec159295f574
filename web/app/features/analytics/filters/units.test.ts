import { expect, test } from "vitest";
import { riskUnit, unitCount, unitLabel, unitPlural } from "#features/analytics/filters/units.ts";

test.each([
  ["position", "1 position", "12 positions", "Positions"],
  ["closed trade", "1 closed trade", "12 closed trades", "Closed trades"],
  ["strategy", "1 strategy", "12 strategies", "Strategies"],
] as const)("counts and names the unit %s", (name, one, twelve, label) => {
  expect(unitCount(1, name)).toBe(one);
  expect(unitCount(12, name)).toBe(twelve);
  expect(unitLabel(name)).toBe(label);
  expect(twelve).toBe(`12 ${unitPlural(name)}`);
});

test("results in R belong to the positions outside of strategies", () => {
  expect(riskUnit("strategy")).toBe("position");
  expect(riskUnit("position")).toBe("position");
  expect(riskUnit("closed trade")).toBe("closed trade");
});
