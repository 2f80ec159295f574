import { expect, test } from "vitest";
import { row, sums } from "#features/analytics/reconcile/reconciliation-fixture.ts";
import {
  dateError,
  listRepairs,
  type Repair,
  readyRepairs,
  repairAnswer,
} from "#features/analytics/reconcile/repairs.ts";

const settled: Repair = {
  label: "Settle at ₹80.00",
  answer: { issueId: "settlement:all:X", answer: "settled", price: 80 },
  dateRequired: false,
  latestDate: null,
};
const bought: Repair = {
  label: "Enter 6 shares bought at ₹373.33 each",
  answer: { issueId: "missingCost:zerodha:ITC", answer: "bought", price: 373.3333, quantity: 6 },
  dateRequired: true,
  latestDate: "2026-06-04",
};

test("a repair of two rows is listed once", () => {
  const differing = (symbol: string, repair: Repair | null) =>
    row(symbol, null, sums(1, 100, 110), { repair });
  const rows = [
    differing("X", settled),
    differing("ITC", bought),
    differing("Y", settled),
    differing("Z", null),
  ];
  expect(listRepairs({ rows })).toEqual([settled, bought]);
});

test("a repair is ready when its day is valid", () => {
  const issue = bought.answer.issueId;
  expect(readyRepairs([settled, bought], {})).toEqual([settled]);
  expect(dateError(bought, {})).toBe("Enter the day.");
  expect(dateError(bought, { [issue]: "2026-06-05" })).toBe("Enter a day up to 4 Jun 2026.");
  expect(readyRepairs([settled, bought], { [issue]: "2026-06-04" })).toEqual([settled, bought]);
});

test("the day is part of the answer only if it is required", () => {
  const dates = { [bought.answer.issueId]: "2024-03-01", [settled.answer.issueId]: "2024-03-01" };
  expect(repairAnswer(bought, dates)).toEqual({ ...bought.answer, date: "2024-03-01" });
  expect(repairAnswer(settled, dates)).toEqual(settled.answer);
});
