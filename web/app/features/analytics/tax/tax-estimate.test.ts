import { expect, it } from "vitest";
import { taxParts } from "#features/analytics/tax/tax-estimate.ts";

const ESTIMATE = {
  oldRegime: false,
  totalIncome: 2100000,
  slabIncome: 2000000,
  slabTax: 200000,
  special: [{ percent: 20, amount: 100000, unusedExemption: 0, tax: 20000 }],
  rebate: 0,
  surcharge: 0,
  cess: 8800,
  totalTax: 228800,
  deducted: 150000,
  paid: 40000,
  paidLater: 670,
  instalments: [],
  defaultInterest: 1552,
  interest: 2867,
  payable: 41000,
  restPaidOn: "2026-07-31",
  laws: [],
};

it("lists the parts of the tax without those of zero", () => {
  expect(taxParts(ESTIMATE).map(({ amount }) => amount)).toEqual([
    2100000, 200000, 20000, 8800, 228800, -150000, -40000, 2867, -670, 41000,
  ]);
  expect(taxParts(ESTIMATE)[2]?.label).toBe("Tax on gains of ₹1,00,000.00 at 20%");
});

it("names the part of the basic exemption that gains use", () => {
  const special = [{ percent: 20, amount: 1400000, unusedExemption: 400000, tax: 200000 }];
  expect(taxParts({ ...ESTIMATE, special })[2]).toEqual({
    label: "Tax on gains of ₹10,00,000.00 at 20%, after ₹4,00,000.00 of unused basic exemption",
    amount: 200000,
  });
});

it("names a refund", () => {
  expect(taxParts({ ...ESTIMATE, payable: -500 }).at(-1)).toEqual({ label: "Refund", amount: 500 });
});
