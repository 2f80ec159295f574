import { expect, it } from "vitest";
import { incomeName, lossesTitle, setOffText } from "#features/analytics/tax/loss-texts.ts";
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

it("describes a set-off", () => {
  expect(setOffText(setOff)).toBe(
    `${inrPaise(5000.5)} of the F&O loss of FY 2024–25 set off against short-term gains at 20%.`,
  );
  const gains = { head: "longTerm", ratePercent: 12.5 } as const;
  expect(incomeName({ ...gains, hasExemption: true })).toBe("Long-term gains at 12.5%");
  expect(incomeName({ ...gains, hasExemption: false })).toBe("Long-term gains at 12.5%, no part exempt");
  expect(incomeName({ head: "shortTerm", hasExemption: false })).toBe("Short-term gains at your slab rate");
  expect(incomeName({ head: "speculative", hasExemption: false })).toBe("Intraday shares");
});

it("states in the headline what was set off and what is left", () => {
  const empty = { results: [], setOffs: [], schedule: [], longTermExemptUsed: 0, longTermTaxable: 0 };
  expect(lossesTitle(empty)).toBe("Losses: none");
  expect(lossesTitle({ ...empty, setOffs: [setOff], schedule: [loss] })).toBe(
    `Losses: ${inrPaise(5000.5)} set off, ${inrPaise(1000.25)} carried forward`,
  );
});
