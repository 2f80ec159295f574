import { expect, it } from "vitest";
import {
  type LossDraft,
  lossMistakes,
  lossYears,
  toDrafts,
  toLosses,
} from "#features/analytics/tax/loss-draft.ts";

const draft: LossDraft = {
  id: 0,
  kind: "shortTerm",
  year: "2022-23",
  account: "zerodha",
  amount: "45,250.50",
};

it("offers the eight years before the log", () => {
  const years = lossYears(["2026-27", "2025-26", "2024-25"], false);
  expect([years[0], years.at(-1), years.length]).toEqual(["2023-24", "2016-17", 8]);
  expect(lossYears(["2002-03"], false)).toContain("1999-00");
  // A year without closed trades is not in the log.
  expect(lossYears(["2026-27", "2024-25"], false).slice(0, 2)).toEqual(["2025-26", "2023-24"]);
});

it("offers the years of the log too if another person may have started later", () => {
  expect(lossYears(["2026-27", "2025-26"], true).slice(0, 2)).toEqual(["2025-26", "2024-25"]);
});

it("converts what is typed to losses and back", () => {
  const losses = toLosses([draft, { ...draft, id: 1, account: "groww-2", amount: "₹1,00,000" }]);
  expect(losses).toEqual([
    { kind: "shortTerm", year: "2022-23", broker: "zerodha", amount: 45250.5 },
    { kind: "shortTerm", year: "2022-23", broker: "groww", brokerAccount: 2, amount: 100000 },
  ]);
  expect(toDrafts(losses).map(({ account, amount }) => [account, amount])).toEqual([
    ["zerodha", "45250.5"],
    ["groww-2", "100000"],
  ]);
});

it("names the mistake of each loss", () => {
  for (const amount of ["", "0", "-5", "1.005", "abc", "1,00"]) {
    expect(lossMistakes([{ ...draft, amount }])[0], amount).toMatch(/^Enter/);
  }
  expect(lossMistakes([draft, { ...draft, id: 1 }])[1]).toContain("Add both amounts together");
  expect(lossMistakes([draft, { ...draft, id: 1, account: "groww" }])).toEqual([undefined, undefined]);
});
