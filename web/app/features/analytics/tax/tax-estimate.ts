import type { Schemas } from "#lib/api.ts";
import { inrPaise } from "#lib/format.ts";

/** Returns the lines of the calculation from the income to the amount to pay, without those of zero. */
export function taxParts(estimate: Schemas["TaxEstimate"]): { label: string; amount: number }[] {
  const { totalIncome, slabIncome, slabTax, special, rebate, surcharge, cess } = estimate;
  const { totalTax, deducted, paid, interest, paidLater, payable } = estimate;
  return [
    { label: "Total income, with exempt long-term gains", amount: totalIncome, always: true },
    { label: `Tax on ${inrPaise(slabIncome)} at slab rates`, amount: slabTax },
    ...special.map(({ percent, amount, unusedExemption, tax }) => ({
      label: `Tax on gains of ${inrPaise(amount - unusedExemption)} at ${percent}%${
        unusedExemption > 0 ? `, after ${inrPaise(unusedExemption)} of unused basic exemption` : ""
      }`,
      amount: tax,
    })),
    { label: "Rebate", amount: 0 - rebate },
    { label: "Surcharge", amount: surcharge },
    { label: "Health and education cess", amount: cess },
    { label: "Tax of the year", amount: totalTax, always: true },
    { label: "Tax deducted by others", amount: 0 - deducted },
    { label: "Advance tax paid", amount: 0 - paid },
    { label: "Interest", amount: interest },
    { label: "Tax paid after the year", amount: 0 - paidLater },
    { label: payable < 0 ? "Refund" : "To pay", amount: Math.abs(payable), always: true },
  ].flatMap(({ label, amount, always = false }) => (always || amount !== 0 ? [{ label, amount }] : []));
}
