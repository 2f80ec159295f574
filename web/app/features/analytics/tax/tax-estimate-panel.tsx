import { FoldedPanel } from "#features/analytics/charts/folded-panel.tsx";
import { type Column, DataTable } from "#features/analytics/tables/data-table.tsx";
import { type StackedColumn, StackedTable } from "#features/analytics/tables/stacked-table.tsx";
import { taxParts } from "#features/analytics/tax/tax-estimate.ts";
import type { Schemas } from "#lib/api.ts";
import { date, inr, inrPaise } from "#lib/format.ts";

type TaxEstimate = Schemas["TaxEstimate"];

/** Estimated tax of the year, and advance tax by due day with interest. */
export function TaxEstimatePanel({ estimate }: { estimate: TaxEstimate }) {
  const { payable, restPaidOn, instalments, defaultInterest, oldRegime, laws } = estimate;
  return (
    <FoldedPanel
      title={
        payable < 0
          ? `Estimated refund: ${inr(0 - payable)}`
          : `Estimated tax to pay on ${date(restPaidOn)}: ${inr(payable)}`
      }
      text={`${oldRegime ? "Old" : "New"} tax regime, for a resident. It is right only with your other income and the taxes already paid: enter them at “Enter salary, dividends, AIS”. It counts the chosen accounts. Ask your accountant before you pay.`}
    >
      <DataTable
        caption="Estimated tax"
        columns={PARTS}
        rows={taxParts(estimate)}
        rowKey={({ label }) => label}
      />
      {instalments.length > 0 && (
        <StackedTable
          caption="Advance tax"
          columns={INSTALMENTS}
          rows={instalments}
          rowKey={({ dueDay }) => dueDay}
        />
      )}
      <ul className="space-y-1.5 border-line border-t px-4 py-4 text-data text-ink-2 sm:px-6">
        {instalments.length === 0 ? (
          <li>
            No advance tax is due: the tax left is below the limit, or you are 60 or older and have no
            business.
          </li>
        ) : (
          <li>
            The tax on a gain or dividend after a due day is not due on that day, if you pay it on the next
            ones.
          </li>
        )}
        {defaultInterest > 0 && (
          <li>{`${inrPaise(defaultInterest)} of the interest is due because less than 90% was paid in the year.`}</li>
        )}
        <li>{`Interest is counted until ${date(restPaidOn)}. Whoever pays or files later owes more.`}</li>
        <li>{`Laws: ${[...new Set(laws)].join("; ")}.`}</li>
      </ul>
    </FoldedPanel>
  );
}

const PARTS: readonly Column<ReturnType<typeof taxParts>[number]>[] = [
  { label: "Estimated tax", cell: ({ label }) => label },
  { label: "Amount", figures: true, cell: ({ amount }) => inrPaise(amount) },
];

const INSTALMENTS: readonly StackedColumn<TaxEstimate["instalments"][number]>[] = [
  {
    label: "Advance tax",
    cell: ({ dueDay, percent }) => (
      <>
        <span className="block">{`until ${date(dueDay)}`}</span>
        <span className="block text-floor text-ink-2">{`${percent}% of the tax`}</span>
      </>
    ),
  },
  { label: "Due", figures: true, secondary: true, cell: ({ due }) => inrPaise(due) },
  { label: "Paid", figures: true, secondary: true, cell: ({ paid }) => inrPaise(paid) },
  { label: "Interest", figures: true, cell: ({ interest }) => inrPaise(interest) },
];
