import { expect, it } from "vitest";
import { haveSeveralPeople, taxGroups } from "#features/analytics/tax/tax-groups.ts";

const own = {
  broker: "zerodha",
  brokerAccount: 1,
  holder: "Asha Rao",
  clientCode: "AB••34",
  trades: 5,
  settings: { plan: "standard", womanFirstHolder: false },
} as const;
const other = {
  broker: "groww",
  brokerAccount: 1,
  holder: "ASHA  RAO",
  trades: 5,
  settings: { plan: "standard", womanFirstHolder: false },
} as const;
const mother = {
  broker: "zerodha",
  brokerAccount: 2,
  label: "Mother",
  holder: "Lata Rao",
  trades: 5,
  settings: { plan: "standard", womanFirstHolder: false },
} as const;

it("offers a tax pack for each person with several accounts, and for each account", () => {
  expect(taxGroups([own])).toEqual([]);
  expect(taxGroups([own, other, mother])).toEqual([
    { value: "zerodha,groww", label: "Asha Rao" },
    { value: "zerodha", label: "Zerodha (AB••34)" },
    { value: "groww", label: "Groww" },
    { value: "zerodha-2", label: "Mother" },
  ]);
});

it("tells accounts of several people from those of one", () => {
  expect(haveSeveralPeople([own, other])).toBe(false);
  expect(haveSeveralPeople([own, {}])).toBe(false);
  expect(haveSeveralPeople([own, other, mother])).toBe(true);
});
