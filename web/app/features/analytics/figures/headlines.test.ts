import { describe, expect, test } from "vitest";
import type { Day, Figures, GridCell, SymbolCurve } from "#features/analytics/analytics-api.ts";
import {
  bestAndWorstDay,
  chargesHeadline,
  chargesText,
  curveHeadline,
  daysHeadline,
  distributionHeadline,
  drawdownText,
  gridHeadline,
  gridText,
  netHeadline,
  symbolsHeadline,
} from "#features/analytics/figures/headlines.ts";

const DRAWDOWN = { amount: -34_124, days: 29, from: "2025-04-23", to: "2025-05-08", recovered: "2025-05-22" };

const FIGURES: Figures = {
  closedTrades: 660,
  wins: 349,
  losses: 311,
  gross: 142_953.5,
  charges: 56_290.01,
  net: 86_663.49,
  partialNet: 0,
  statedCharges: 0,
  turnover: 9_000_000,
  winRate: { rate: 0.529, low: 0.491, high: 0.567 },
  profitFactor: 1.33,
  expectancy: 131.31,
  averageWin: 997.2,
  averageLoss: -840.4,
  payoff: 1.19,
  best: null,
  worst: null,
  longestWinStreak: 7,
  longestLossStreak: 5,
  currentStreak: -2,
  drawdown: DRAWDOWN,
  holdingSeconds: 7_200,
  maxEntryValue: 400_000,
  sampleTooSmall: false,
  doubtfulClosedTrades: 0,
  risk: null,
};

const day = (date: string, net: number, drawdown = 0): Day => ({
  date,
  closedTrades: 2,
  gross: net + 10,
  charges: 10,
  net,
  equity: net,
  drawdown,
});

const cell = (weekday: number, hour: number, net: number): GridCell => ({
  weekday,
  hour,
  net,
  closedTrades: 3,
  wins: 1,
});

const symbol = (name: string, net: number): SymbolCurve => ({ symbol: name, net, closedTrades: 4, days: [] });

describe("the headline states the net result", () => {
  test.each([
    [{}, "You kept ₹86,663 of ₹1,42,954 gross profit"],
    [{ net: 0, gross: 40, charges: 40 }, "You broke even"],
    [{ net: -200, gross: 1_000.4, charges: 1_200.4 }, "Charges took more than the ₹1,000 you made"],
    [{ net: -1_500, gross: -1_200, charges: 300 }, "You lost ₹1,500, ₹300 of it to charges"],
  ])("%o", (part, text) => expect(netHeadline({ ...FIGURES, ...part })).toBe(text));
});

describe("the curve", () => {
  test("is back at its peak, or below it, or never fell", () => {
    expect(curveHeadline(FIGURES, [day("2025-06-20", 1)])).toBe("Max drawdown was recovered by 22 May 2025");
    const open = { ...FIGURES, drawdown: { ...DRAWDOWN, recovered: null } };
    expect(curveHeadline(open, [day("2025-06-20", 1, -5_000)])).toBe("₹5,000 below the peak of 23 Apr 2025");
    expect(curveHeadline({ ...FIGURES, drawdown: null }, [])).toBe("No drawdown: your net P&L never fell");
  });

  test("describes the max drawdown with amount and duration", () => {
    expect(drawdownText(FIGURES.drawdown)).toBe(
      "Max drawdown −\u2060₹34,124 from 23 Apr 2025 to 8 May 2025, recovered after 29 days.",
    );
    expect(drawdownText(null)).toBe("");
  });
});

test("counts profitable days, and names the best and the worst", () => {
  const days = [day("2025-06-10", 400), day("2025-06-11", -300), day("2025-06-12", 0)];
  expect(daysHeadline(days)).toBe("1 of 3 days in profit");
  expect(daysHeadline([day("2025-06-10", 400)])).toBe("1 of 1 day in profit");
  expect(bestAndWorstDay(days)).toBe("Best: 10 Jun 2025, +\u2060₹400. Worst: 11 Jun 2025, −\u2060₹300.");
  expect(bestAndWorstDay([day("2025-06-10", 400)])).toBe("");
});

test("describes the distribution by its averages", () => {
  expect(distributionHeadline(FIGURES)).toBe("Average win ₹997, average loss ₹840");
  expect(distributionHeadline({ ...FIGURES, averageLoss: null })).toBe("No losing trades yet");
  expect(distributionHeadline({ ...FIGURES, averageWin: null })).toBe("No winning trades yet");
});

test("[T7] names the worst hour, or the best if no hour lost", () => {
  const cells = [cell(3, 9, -15_592), cell(2, 10, 18_528), cell(5, 14, 10)];
  expect(gridHeadline(cells)).toBe("Wednesdays from 9 to 10 am cost you ₹15,592");
  expect(gridText(cells)).toContain("Best: Tuesdays from 10 to 11 am, +\u2060₹18,528.");
  expect(gridText(cells)).toContain(
    "for intraday and F&O trades with a time; delivery trades are not counted",
  );
  expect(gridHeadline(cells.slice(1))).toBe("Tuesdays from 10 to 11 am earned you ₹18,528");
  expect(gridHeadline([])).toBe("Intraday and F&O results by weekday and hour");
});

describe("charges as a share of gross profit", () => {
  test.each([
    [{}, "Charges took 39% of gross profit"],
    [{ gross: 10_000, charges: 100 }, "Charges took 1% of gross profit"],
    [{ gross: 1e7, charges: 3 }, "Charges took less than 1% of gross profit"],
    [{ gross: 10, charges: 300 }, "Charges took more than the gross profit"],
    [{ gross: -10, charges: 300 }, "Charges added ₹300 to the loss"],
    [{ charges: 0 }, "No charges"],
  ])("%o", (part, text) => expect(chargesHeadline({ ...FIGURES, ...part })).toBe(text));
});

test("names the symbols that earned the most, and the one that cost the most", () => {
  const symbols = [
    symbol("ITC", -1_396),
    symbol("NIFTY", 34_199),
    symbol("SBIN", 2_147),
    symbol("BANKNIFTY", -4_625),
  ];
  expect(symbolsHeadline(symbols)).toBe("NIFTY and SBIN earned the most. BANKNIFTY cost you ₹4,625");
  expect(symbolsHeadline(symbols.slice(0, 2))).toBe("NIFTY earned the most. ITC cost you ₹1,396");
  expect(symbolsHeadline([])).toBe("Results by symbol");
});

test("tells stated from estimated charges", () => {
  expect(chargesText({ charges: 120.5, statedCharges: 0 })).toBe("Charges are estimated.");
  expect(chargesText({ charges: 120.5, statedCharges: 120.5 })).toBe(
    "Charges are those that your broker states.",
  );
  expect(chargesText({ charges: 120.5, statedCharges: 100.25 })).toBe(
    "₹100.25 of the charges are stated by your broker, the rest is estimated.",
  );
});
