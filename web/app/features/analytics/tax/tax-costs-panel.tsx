import { FoldedPanel } from "#features/analytics/charts/folded-panel.tsx";
import { type Column, DataTable } from "#features/analytics/tables/data-table.tsx";
import { brokerAccountName } from "#lib/books.ts";
import { count, inrPaise } from "#lib/format.ts";
import { LEDGER_KINDS, type LedgerSum, sumAmounts } from "#lib/ledger-kinds.ts";

const NOTES: Readonly<Record<LedgerSum["treatment"], string>> = {
  cost: "",
  inTrades: "already estimated in trades, not in the total",
  notRecognised: "not in the total",
  noCost: "",
};

const COLUMNS: readonly Column<LedgerSum>[] = [
  {
    label: "Cost",
    cell: ({ kind, treatment }) => (
      <>
        <span className="block">{LEDGER_KINDS[kind]}</span>
        <span className="block text-floor text-ink-2 empty:hidden">{NOTES[treatment]}</span>
      </>
    ),
  },
  { label: "Account", cell: (sum) => brokerAccountName(sum) },
  { label: "Entries", figures: true, cell: ({ entries }) => count(entries) },
  { label: "Amount", figures: true, cell: ({ amount }) => inrPaise(amount) },
];

/** Costs outside trades of a year, which are deducted nowhere; nothing if no ledger has any. */
export function TaxCostsPanel({ ledger }: { ledger: readonly LedgerSum[] }) {
  const rows = ledger.filter(({ treatment }) => treatment !== "noCost");
  if (rows.length === 0) return null;
  const total = inrPaise(sumAmounts(rows.filter(({ treatment }) => treatment === "cost")));
  return (
    <FoldedPanel
      title={`Costs outside trades: ${total}`}
      text="From the broker's ledger, and deducted nowhere in the tax pack. For a trading business, account maintenance, interest, pledge, call and trade charges and subscriptions are usually expenses. Penalties may not be. For capital gains, only costs of the sale itself count."
    >
      <DataTable
        caption="Costs outside trades"
        columns={COLUMNS}
        rows={rows}
        rowKey={({ kind, broker, brokerAccount }) => `${kind} ${broker} ${brokerAccount}`}
        total={["Total costs", "", "", total]}
      />
    </FoldedPanel>
  );
}
