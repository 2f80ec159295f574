import { type BrokerFilter, brokerFilterQuery } from "#lib/books.ts";
import { LEDGER_KINDS, type LedgerSum, sumAmounts } from "#lib/ledger-kinds.ts";

/** Costs of one kind by month. */
type CostRow = {
  kind: LedgerSum["kind"];
  label: string;
  /** Amounts in the order of the months; 0 for a month without this cost. */
  amounts: readonly number[];
  total: number;
};

export type CostTable = { months: readonly string[]; rows: readonly CostRow[]; total: number };

/** Returns the sums of the accounts that the filter selects. */
export function ofBroker(sums: readonly LedgerSum[], filter: BrokerFilter): LedgerSum[] {
  const { broker, brokerAccount } = brokerFilterQuery(filter);
  return sums.filter(
    (sum) =>
      (!broker || sum.broker === broker) && (!brokerAccount || (sum.brokerAccount ?? 1) === brokerAccount),
  );
}

/** Returns the costs outside trades by kind and month, the largest first. */
export function costTable(sums: readonly LedgerSum[]): CostTable {
  const costs = sums.filter(({ treatment }) => treatment === "cost");
  const months = [...new Set(costs.map(({ period = "" }) => period))].toSorted();
  const kinds = [...new Set(costs.map(({ kind }) => kind))];
  const rows = kinds.map((kind) => {
    const own = costs.filter((sum) => sum.kind === kind);
    return {
      kind,
      label: LEDGER_KINDS[kind],
      amounts: months.map((month) => sumAmounts(own.filter(({ period }) => period === month))),
      total: sumAmounts(own),
    };
  });
  return { months, rows: rows.toSorted((a, b) => b.total - a.total), total: sumAmounts(costs) };
}
