import { expect, it } from "vitest";
import { issueCountText } from "#features/analytics/tax/issue-texts.ts";

it("names each kind of data issue with its number", () => {
  expect(issueCountText({ kind: "missingCost", count: 1 })).toBe("1 missing buy price");
  expect(issueCountText({ kind: "settlement", count: 12 })).toBe("12 contracts without a settlement price");
  expect(issueCountText({ kind: "fairValue", count: 2 })).toBe(
    "2 shares without the price of 31 January 2018",
  );
});
