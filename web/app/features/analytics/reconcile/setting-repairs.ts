import type { Reconciliation, ReportCharge } from "#features/analytics/reconcile/reconciliation.ts";
import type { Schemas } from "#lib/api.ts";
import { date, inrPaise, plural } from "#lib/format.ts";
import type { LedgerImport } from "#lib/send-ledger.ts";

type Price = Schemas["BrokeragePrice"];
type Settings = Schemas["BrokerAccount"]["settings"];

/** Repair of a difference in charges: it changes the settings of the account, or adds what the report lists. */
export type SettingRepair =
  | { kind: "plan"; label: string; prices: readonly Price[] }
  | { kind: "debits"; label: string; entries: number };

const ORDERS: Readonly<Record<Price["kind"], string>> = {
  delivery: "delivery",
  intraday: "intraday",
  futures: "futures",
  options: "options",
};

/** Returns the repairs of the charges; `preview` tells which debits and credits of the report are not stored yet. */
export function settingRepairs(
  { charges }: Pick<Reconciliation, "charges">,
  preview: LedgerImport | undefined,
): SettingRepair[] {
  const prices = charges.flatMap((charge) => charge.prices);
  const added = preview?.added ?? 0;
  return [
    ...(prices.length > 0 ? [{ kind: "plan" as const, label: planLabel(prices), prices }] : []),
    ...(added > 0 ? [{ kind: "debits" as const, label: debitsLabel(added), entries: added }] : []),
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

function planLabel(prices: readonly Price[]): string {
  const [first] = prices;
  const price = first?.flat ? `${inrPaise(first.flat)} per order` : "no brokerage";
  const from = first?.from ? ` from ${date(first.from)}` : "";
  return `Set ${price} for ${prices.map(({ kind }) => ORDERS[kind]).join(" and ")}${from}`;
}

function debitsLabel(added: number): string {
  return `Add ${plural(added, "entry", "entries")} to your costs outside trades`;
}

/** Returns the settings with the prices added. A price replaces that of the same orders and day. */
export function withPrices(settings: Settings, prices: readonly Price[]): Settings {
  const isReplaced = (old: Price) =>
    prices.some(({ kind, from = "" }) => kind === old.kind && from === (old.from ?? ""));
  const kept = (settings.brokerage ?? []).filter((old) => !isReplaced(old));
  return { ...settings, brokerage: [...kept, ...prices] };
}
