import { expect, it } from "vitest";
import {
  financialYear,
  incomeName,
  lossesTitle,
  setOffText,
  taxYearHint,
  yearInSentence,
} from "#features/analytics/tax/loss-texts.ts";
import { inrPaise } from "#lib/format.ts";

const setOff = {
  lossKind: "nonSpeculative",
  lossYear: "2024-25",
  against: "shortTerm",
  ratePercent: 20,
  hasExemption: false,
  amount: 5000.5,
  law: "Income-tax Act 1961, sections 70(1) and 71(2)",
} as const;
const loss = {
  kind: "nonSpeculative",
  year: "2024-25",
  entered: false,
  opening: 0,
  added: 6000.75,
  used: 5000.5,
  lapsed: 0,
  carriedForward: 1000.25,
  lastYear: "2032-33",
} as const;

it("calls a year tax year from 2026-27 on", () => {
  expect(["1999-00", "2025-26", "2026-27", "2027-28"].map(financialYear)).toEqual([
    "FY 1999–00",
    "FY 2025–26",
    "Tax year 2026–27",
    "Tax year 2027–28",
  ]);
  expect(["2025-26", "2026-27"].map(yearInSentence)).toEqual(["FY 2025–26", "tax year 2026–27"]);
});

it("explains the term tax year for the years that have it", () => {
  expect(taxYearHint("2025-26")).toBeUndefined();
  expect(taxYearHint("2026-27")).toBe(
    "From April 2026 the law says tax year instead of financial year and assessment year. Tax year 2026–27 runs from 1 April 2026 to 31 March 2027.",
  );
  expect(taxYearHint("2027-28")).toMatch(/Tax year 2027–28 runs from 1 April 2027 to 31 March 2028\.$/);
});

it("describes a set-off", () => {
  expect(setOffText(setOff)).toBe(
    `${inrPaise(5000.5)} of the F&O loss of FY 2024–25 set off against short-term gains at 20%.`,
  );
  expect(setOffText({ ...setOff, lossYear: "2026-27" })).toContain(
    "of the F&O loss of tax year 2026–27 set off",
  );
  const gains = { head: "longTerm", ratePercent: 12.5 } as const;
  expect(incomeName({ ...gains, hasExemption: true })).toBe("Long-term gains at 12.5%");
  expect(incomeName({ ...gains, hasExemption: false })).toBe("Long-term gains at 12.5%, no part exempt");
  expect(incomeName({ head: "shortTerm", hasExemption: false })).toBe("Short-term gains at your slab rate");
  expect(incomeName({ head: "speculative", hasExemption: false })).toBe("Intraday shares");
});

it("states in the headline what was set off and what is left", () => {
  const empty = {
    results: [],
    setOffs: [],
    schedule: [],
    longTermExemptUsed: 0,
    longTermTaxable: 0,
    exemptGainsSetOff: 0,
  };
  expect(lossesTitle(empty)).toBe("Losses: none");
  expect(lossesTitle({ ...empty, setOffs: [setOff], schedule: [loss] })).toBe(
    `Losses: ${inrPaise(5000.5)} set off, ${inrPaise(1000.25)} carried forward`,
  );
});
