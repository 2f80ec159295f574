import { describe, expect, test } from "vitest";
import type { Day, Figures, GridCell, SymbolCurve } from "#features/analytics/analytics-api.ts";
import {
  chargesFinding,
  curveFinding,
  daysFinding,
  daysWords,
  fallWords,
  gridFinding,
  gridWords,
  headline,
  spreadFinding,
  symbolsFinding,
} from "#features/analytics/figures/findings.ts";

const FALL = { amount: -34_124, days: 29, from: "2025-04-23", to: "2025-05-08", recovered: "2025-05-22" };

const FIGURES: Figures = {
  closedTrades: 660,
  wins: 349,
  losses: 311,
  gross: 142_953.5,
  charges: 56_290.01,
  net: 86_663.49,
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
  drawdown: FALL,
  holdingSeconds: 7_200,
  capitalUsed: 400_000,
  tooFew: false,
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

describe("the headline says what was kept", () => {
  test.each([
    [{}, "You kept ₹86,663 of ₹1,42,954"],
    [{ closedTrades: 0, net: 0, gross: 0, charges: 0 }, "Nothing was closed"],
    [{ net: 0, gross: 40, charges: 40 }, "You came out even"],
    [{ net: -200, gross: 1_000.4, charges: 1_200.4 }, "Charges took more than the ₹1,000 you made"],
    [{ net: -1_500, gross: -1_200, charges: 300 }, "You lost ₹1,500, ₹300 of it to charges"],
  ])("%o", (part, words) => expect(headline({ ...FIGURES, ...part })).toBe(words));
});

describe("the curve", () => {
  test("is back at its peak, or below it, or never fell", () => {
    expect(curveFinding(FIGURES, [day("2025-06-20", 1)])).toBe(
      "The deepest fall was made good by 22 May 2025",
    );
    const open = { ...FIGURES, drawdown: { ...FALL, recovered: null } };
    expect(curveFinding(open, [day("2025-06-20", 1, -5_000)])).toBe("₹5,000 below the peak of 23 Apr 2025");
    expect(curveFinding({ ...FIGURES, drawdown: null }, [])).toBe(
      "The sum never fell below where it had been",
    );
  });

  test("says how deep and how long", () => {
    expect(fallWords(FIGURES.drawdown)).toBe(
      "The deepest fall, −\u2060₹34,124 from 23 Apr 2025 to 8 May 2025, was made good after 29 days.",
    );
    expect(fallWords(null)).toBe("");
  });
});

test("days are counted, the best and the worst named", () => {
  const days = [day("2025-06-10", 400), day("2025-06-11", -300), day("2025-06-12", 0)];
  expect(daysFinding(days)).toBe("1 of 3 days ended up");
  expect(daysFinding([day("2025-06-10", 400)])).toBe("1 of 1 day ended up");
  expect(daysWords(days)).toBe("Best 10 Jun 2025, +\u2060₹400. Worst 11 Jun 2025, −\u2060₹300.");
  expect(daysWords([day("2025-06-10", 400)])).toBe("");
});

test("the spread is said by its averages, as far as there are any", () => {
  expect(spreadFinding(FIGURES)).toBe("A win brings ₹997, a loss costs ₹840");
  expect(spreadFinding({ ...FIGURES, averageLoss: null })).toBe("No loss among them yet");
  expect(spreadFinding({ ...FIGURES, averageWin: null })).toBe("No win among them yet");
});

test("the hours name the worst, or the best where none lost", () => {
  const cells = [cell(3, 9, -15_592), cell(2, 10, 18_528), cell(5, 14, 10)];
  expect(gridFinding(cells)).toBe("Wednesdays from 9 to 10 am cost you ₹15,592");
  expect(gridWords(cells)).toContain("Best: Tuesdays from 10 to 11 am, +\u2060₹18,528.");
  expect(gridFinding(cells.slice(1))).toBe("Tuesdays from 10 to 11 am brought ₹18,528");
  expect(gridFinding([])).toBe("When you open");
});

describe("charges in paise of each rupee", () => {
  test.each([
    [{}, "Charges took 39 paise of each rupee"],
    [{ gross: 10_000, charges: 100 }, "Charges took 1 paisa of each rupee"],
    [{ gross: 1e7, charges: 3 }, "Charges took less than a paisa of each rupee"],
    [{ gross: 10, charges: 300 }, "Charges took more than was made"],
    [{ gross: -10, charges: 300 }, "Charges made the loss ₹300 larger"],
    [{ charges: 0 }, "No charges"],
  ])("%o", (part, words) => expect(chargesFinding({ ...FIGURES, ...part })).toBe(words));
});

test("symbols that carry the result, and the one that cost most", () => {
  const symbols = [
    symbol("ITC", -1_396),
    symbol("NIFTY", 34_199),
    symbol("SBIN", 2_147),
    symbol("BANKNIFTY", -4_625),
  ];
  expect(symbolsFinding(symbols)).toBe("NIFTY and SBIN carry the result. BANKNIFTY cost you ₹4,625");
  expect(symbolsFinding(symbols.slice(0, 2))).toBe("NIFTY carries the result. ITC cost you ₹1,396");
  expect(symbolsFinding([])).toBe("What each symbol brought");
});
