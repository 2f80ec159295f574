import { expect, it } from "vitest";
import { fixTitle, type Issue, likelyAnswers, touches, worthlessAnswers } from "./fix-texts.ts";

const issue = (change: Partial<Issue>): Issue => ({
  id: "settlement:all:X",
  kind: "settlement",
  symbol: "X",
  date: "2026-05-05",
  title: "X expired while open",
  evidence: "",
  tradeId: null,
  closedTrades: 0,
  financialYears: [],
  netChange: null,
  answers: [],
  ...change,
});

const answer = (code: string, likely = false) => ({
  code,
  label: code,
  likely,
  inputs: [],
  latestDate: null,
  maxQuantity: null,
});

it("states the number of issues and of the closed trades that they may change", () => {
  const list = { issues: [], likely: 0, net: 0, netChange: null };
  expect(fixTitle({ ...list, total: 0, closedTrades: 0 })).toBe("No data issues");
  expect(fixTitle({ ...list, total: 1, closedTrades: 0 })).toBe("1 data issue");
  expect(fixTitle({ ...list, total: 7, closedTrades: 9 })).toBe("7 data issues may change 9 closed trades");
});

it("names the closed trades and financial years that an issue touches", () => {
  expect(touches(issue({}))).toBe("–");
  expect(touches(issue({ closedTrades: 1 }))).toBe("1 closed trade");
  expect(touches(issue({ closedTrades: 2, financialYears: ["2025-26"] }))).toBe(
    "2 closed trades, tax 2025–26",
  );
  expect(touches(issue({ financialYears: ["2023-24", "2024-25", "2025-26"] }))).toBe(
    "tax 2023–24 to 2025–26",
  );
});

it("selects likely answers, and options that may be worthless without evidence", () => {
  const issues = [
    issue({ id: "a", answers: [answer("worthless", true), answer("settled")] }),
    issue({ id: "b", answers: [answer("worthless"), answer("settled")] }),
    // The log shows that it was in the money.
    issue({ id: "c", answers: [answer("settled"), answer("worthless")] }),
  ];
  expect(likelyAnswers(issues)).toEqual([{ issueId: "a", answer: "worthless" }]);
  expect(worthlessAnswers(issues)).toEqual([{ issueId: "b", answer: "worthless" }]);
});
