import { describe, expect, it } from "vitest";
import {
  bySchedule,
  type Return,
  type ReturnLine,
  returnNotes,
  returnText,
  returnTitle,
} from "#features/analytics/tax/return-line-texts.ts";

function line(schedule: string, number: string, verified = true): ReturnLine {
  return { schedule, line: number, title: "Capital gain", field: "SumOfCGIncm", amount: 100, verified };
}

describe("the lines of the return", () => {
  it("are those of a form, with its reason", () => {
    const business: Return = {
      returnForm: "ITR-3",
      hasReturnLines: true,
      returnLines: [line("Schedule BP", "B42")],
    };
    const gains: Return = { ...business, returnForm: "ITR-2" };
    expect(returnTitle(business)).toBe("Lines of the return: ITR-3");
    expect(returnText(business)).toMatch(/^Intraday trades, futures and options are a business/);
    expect(returnText(gains)).toMatch(/^Without intraday trades, futures and options the year needs ITR-2/);
    expect(returnText({ ...gains, hasReturnLines: false, returnLines: [] })).toMatch(
      /The lines of ITR-2 are not available for this year, or for delivered shares that count as business\.$/,
    );
    expect(returnText({ ...gains, returnLines: [] })).toMatch(/No figure of the year goes into it\.$/);
  });

  it("are not given for several people", () => {
    const several: Return = { hasReturnLines: false, returnLines: [] };
    expect(returnTitle(several)).toBe("Lines of the return: choose a person");
    expect(returnText(several)).toMatch(/Choose a person or an account at Accounts\.$/);
    expect(returnText(several, "Asha")).toMatch(/Ask Asha for a link for each person\.$/);
  });

  it("have notes where they apply", () => {
    const gains: Return = {
      returnForm: "ITR-2",
      hasReturnLines: true,
      returnLines: [line("Schedule CG", "A2e")],
    };
    expect(returnNotes(gains)).toHaveLength(2);
    const all = [line("Schedule CG", "A(A)", false), line("Schedule CG, table F", "1 col. (i)")];
    expect(returnNotes({ ...gains, returnForm: "ITR-3", returnLines: all })).toHaveLength(5);
  });

  it("are grouped by schedule in the order of the form", () => {
    const lines = [line("Schedule CG", "A2a"), line("Schedule 112A", "14"), line("Schedule CG", "C1")];
    expect(bySchedule(lines).map(([schedule, { length }]) => [schedule, length])).toEqual([
      ["Schedule CG", 2],
      ["Schedule 112A", 1],
    ]);
  });
});
