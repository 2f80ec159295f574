import { FRESH } from "#features/analytics/analytics-api.ts";
import { costTable, ofBroker } from "#features/analytics/charges/cost-sums.ts";
import { LedgerList } from "#features/analytics/charges/ledger-list.tsx";
import { Panel } from "#features/analytics/charts/panel.tsx";
import type { Filters } from "#features/analytics/filters/analytics-view.ts";
import { type Column, DataTable } from "#features/analytics/tables/data-table.tsx";
import { useViewer } from "#features/analytics/viewer.ts";
import { $api } from "#lib/api-query.ts";
import { date, inrPaise } from "#lib/format.ts";
import { type LedgerSum, sumAmounts } from "#lib/ledger-kinds.ts";
import { LoadFailure } from "#ui/load-failure.tsx";
import { TableSkeleton } from "#ui/skeleton.tsx";

/** Costs outside trades by kind and month, from imported ledgers. The period and the broker of the filters apply. */
export function CostsPanel({ filters: { from, to, broker } }: { filters: Filters }) {
  const viewer = useViewer();
  const costs = $api.useQuery(
    "get",
    "/analytics/costs",
    { params: { query: { ...(from && { from }), ...(to && { to }) } }, ...viewer.requestInit },
    FRESH,
  );
  return (
    <Panel
      title="Costs outside trades"
      text="From your broker's ledger, for the chosen period and broker. They are not included in the results of trades."
    >
      {costs.data ? (
        <Costs sums={ofBroker(costs.data.sums, broker)} />
      ) : (
        <div className="px-4 pb-6 sm:px-6">
          {costs.isError ? (
            <LoadFailure error={costs.error} busy={costs.isFetching} onRetry={() => void costs.refetch()} />
          ) : (
            <TableSkeleton label="Loading costs" columns={3} />
          )}
        </div>
      )}
      {viewer.isOwner && <LedgerList />}
    </Panel>
  );
}

function Costs({ sums }: { sums: readonly LedgerSum[] }) {
  const { months, rows, total } = costTable(sums);
  if (sums.length === 0)
    return (
      <p className="border-line border-t px-4 py-4 text-ui sm:px-6">
        No ledger is imported for this period and broker. Import Zerodha's ledger (Console, Funds, Statement)
        or Groww's balance statement under Add Trades.
      </p>
    );
  const columns: Column<(typeof rows)[number]>[] = [
    { label: "Cost", cell: ({ label }) => label },
    { label: "Total", figures: true, cell: ({ total: sum }) => inrPaise(sum) },
    ...months.map((month, index) => ({
      label: monthName(month),
      figures: true,
      cell: ({ amounts }: (typeof rows)[number]) => (amounts[index] ? inrPaise(amounts[index]) : ""),
    })),
  ];
  const totals = months.map((_, index) =>
    inrPaise(sumAmounts(rows.map(({ amounts }) => ({ amount: amounts[index] ?? 0 })))),
  );
  return (
    <>
      {rows.length > 0 && (
        <DataTable
          caption="Costs outside trades by kind and month"
          columns={columns}
          rows={rows}
          rowKey={({ kind }) => kind}
          total={["Total costs", inrPaise(total), ...totals]}
        />
      )}
      <ul className="space-y-1.5 border-line border-t px-4 py-4 text-data text-ink-2 empty:hidden sm:px-6">
        {rows.length === 0 && <li>The ledger has no costs outside trades in this period.</li>}
        <Note
          sums={sums}
          treatment="inTrades"
          text="DP charges, already estimated in trades and not added here"
        />
        <Note sums={sums} treatment="notRecognised" text="Entries that we do not recognise, not added here" />
      </ul>
    </>
  );
}

type NoteProps = {
  sums: readonly LedgerSum[];
  treatment: LedgerSum["treatment"];
  text: string;
};

/** Names the sum of entries that are not in the total. */
function Note({ sums, treatment, text }: NoteProps) {
  const own = sums.filter((sum) => sum.treatment === treatment);
  return own.length > 0 && <li>{`${text}: ${inrPaise(sumAmounts(own))}.`}</li>;
}

/** Returns a name such as "Apr 2026". */
function monthName(month: string): string {
  return date(`${month}-01`).split(" ").slice(1).join(" ");
}
