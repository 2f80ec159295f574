import { type BrokeragePrice, planLabel } from "#features/analytics/charges/brokerage-plan.ts";
import type { Reconciliation, ReportCharge } from "#features/analytics/reconcile/reconciliation.ts";
import { inrPaise, plural } from "#lib/format.ts";
import { sumAmounts } from "#lib/ledger-kinds.ts";
import type { LedgerImport } from "#lib/send-ledger.ts";

/** Repair of a difference in charges: it changes the settings of the account, or adds what the report lists. */
export type SettingRepair =
  | { kind: "plan"; label: string; prices: readonly BrokeragePrice[] }
  | { kind: "debits"; label: string; entries: number };

/** Returns the repairs of the charges; `preview` tells which debits and credits of the report are not stored yet. */
export function settingRepairs(
  { charges, broker, brokerAccount = 1 }: Pick<Reconciliation, "charges" | "broker" | "brokerAccount">,
  preview: LedgerImport | undefined,
): SettingRepair[] {
  const prices = charges.flatMap((charge) => charge.prices);
  // By its client code, the report may be of another account than the compared one.
  const isOfAccount = preview?.broker === broker && (preview.brokerAccount ?? 1) === brokerAccount;
  const added = preview && isOfAccount ? preview.added : 0;
  return [
    ...(prices.length > 0 ? [{ kind: "plan" as const, label: planLabel(prices), prices }] : []),
    ...(added > 0
      ? [{ kind: "debits" as const, label: debitsLabel(added, preview?.sums ?? []), entries: added }]
      : []),
  ];
}

/** Returns the repair that belongs to the row of a charge. */
export function repairOfCharge(
  repairs: readonly SettingRepair[],
  { charge }: Pick<ReportCharge, "charge">,
): SettingRepair | undefined {
  if (charge === "brokerage") return repairs.find(({ kind }) => kind === "plan");
  return charge === "other" ? repairs.find(({ kind }) => kind === "debits") : undefined;
}

function debitsLabel(added: number, sums: LedgerImport["sums"]): string {
  const costs = sumAmounts(sums.filter(({ treatment }) => treatment === "cost"));
  return `Add ${plural(added, "entry", "entries")} to your ledger: ${inrPaise(costs)} of costs outside trades`;
}
