import { expect, test } from "vitest";
import { groupsOfFour, knownMethods } from "#lib/second-factor-methods.ts";

test("[S13] offers known methods in a fixed order", () => {
  expect(knownMethods(["recoveryCode", "sms", "code"])).toEqual(["code", "recoveryCode"]);
  expect(knownMethods([])).toEqual([]);
});

test("[S13] shows a key in groups of four", () => {
  expect(groupsOfFour("GEZDGNBVGY3TQOJQGE")).toBe("GEZD GNBV GY3T QOJQ GE");
  expect(groupsOfFour("")).toBe("");
});
