import { expect, test } from "vitest";
import type { Overview } from "#features/analytics/analytics-api.ts";
import { imageLines } from "#features/analytics/share/share-image.ts";

const OVERVIEW: Overview = {
  figures: {
    closedTrades: 40,
    wins: 25,
    losses: 15,
    gross: 5_000,
    charges: 777,
    net: 4_223,
    partialNet: 0,
    statedCharges: 0,
    turnover: 90_000,
    winRate: { rate: 0.625, low: 0.47, high: 0.76 },
    profitFactor: 2,
    expectancy: 105,
    averageWin: 300,
    averageLoss: -200,
    payoff: 1.5,
    best: null,
    worst: null,
    longestWinStreak: 3,
    longestLossStreak: 2,
    currentStreak: 1,
    drawdown: null,
    holdingSeconds: null,
    maxEntryValue: 10_000,
    sampleTooSmall: false,
    doubtfulClosedTrades: 0,
    risk: null,
  },
  days: [],
  distribution: [],
  riskDistribution: [],
  grid: [],
  symbols: [],
  scope: { trades: 80, closedTrades: 40, from: null, to: null, financialYears: [], symbols: [] },
  dataIssues: {
    missingCostBasis: 0,
    expired: 0,
    openPositions: 0,
    ratesMissing: 0,
    outsideFilter: 0,
    open: 0,
  },
};

test("an image without amounts has only rates and counts", () => {
  const lines = imageLines(OVERVIEW, "closed trade", false).map(({ term, value }) => `${term} ${value}`);
  expect(lines).toEqual(["Closed trades 40", "Win rate 62.5%", "Profit factor 2.00", "Payoff ratio 1.50"]);
  expect(lines.join()).not.toContain("₹");
});

test("an image with amounts also has charges and the max drawdown", () => {
  const lines = imageLines(OVERVIEW, "closed trade", true).map(({ term, value }) => `${term} ${value}`);
  expect(lines).toContain("Charges ₹777");
  expect(lines).toContain("Max drawdown ₹0");
});

test.each([
  ["position", "Positions"],
  ["strategy", "Strategies"],
] as const)("an image of figures that count by %s is labelled %s", (unit, term) => {
  expect(imageLines(OVERVIEW, unit, false)[0]).toEqual({ term, value: "40" });
});
