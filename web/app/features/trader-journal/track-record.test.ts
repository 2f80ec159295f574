import { expect, test } from "vitest";
import type { JournalGroup } from "#features/trader-journal/group-figures.tsx";
import { brokenRulesText, rulesKeptText } from "#features/trader-journal/track-record.ts";

function group(closedTrades: number, net: number): JournalGroup {
  const figures = { closedTrades, net } as JournalGroup["figures"];
  return { name: "Range break", entries: closedTrades, rulesKept: 0, rulesBroken: 0, figures };
}

test("states how many of the marked rules were kept", () => {
  expect(rulesKeptText({ rulesKept: 5, rulesBroken: 1 })).toBe("5 of 6 rules kept");
  expect(rulesKeptText({ rulesKept: 1, rulesBroken: 0 })).toBe("1 of 1 rule kept");
  expect(rulesKeptText({ rulesKept: 0, rulesBroken: 0 })).toBeUndefined();
});

test("compares the average of positions with a broken rule with the average of the others", () => {
  // 6 positions lost ₹1,200 (−200 each), the other 10 made ₹3,000 (+300 each).
  expect(brokenRulesText(group(16, 1_800), group(6, -1_200))).toMatch(
    /^With a broken rule: −\u2060₹1,200\.00 in 6 positions\. On average ₹500\.00 less than a position without one\.$/,
  );
  // 6 positions made ₹3,000 (500 each), the other 10 made ₹1,000 (100 each).
  expect(brokenRulesText(group(16, 4_000), group(6, 3_000))).toContain("On average ₹400.00 more");
});

test("does not compare with fewer than five positions on either side", () => {
  expect(brokenRulesText(group(16, 0), group(4, -400))).toContain("Too few positions to compare.");
  expect(brokenRulesText(group(9, 0), group(5, -400))).toContain("Too few positions to compare.");
  expect(brokenRulesText(group(10, 0), group(5, -400))).toContain("less than");
});

test("says nothing if no position broke a rule", () => {
  expect(brokenRulesText(group(16, 0), undefined)).toBeUndefined();
  expect(brokenRulesText(undefined, undefined)).toBeUndefined();
});
