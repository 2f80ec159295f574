import { type Column, DataTable } from "#features/analytics/tables/data-table.tsx";
import type { Schemas } from "#lib/api.ts";
import { date, inrPaise } from "#lib/format.ts";

type Line = Schemas["ChargeLine"];

/** Names of the charges, as on a contract note. */
export const CHARGE_NAMES: Readonly<Record<Line["component"], string>> = {
  brokerage: "Brokerage",
  stt: "STT",
  exchange: "Exchange",
  sebi: "SEBI",
  ipft: "IPFT",
  stampDuty: "Stamp duty",
  gst: "GST",
  dp: "DP charges",
};

const COLUMNS: readonly Column<Line>[] = [
  { label: "Charge", cell: ({ component }) => CHARGE_NAMES[component] },
  { label: "Amount", figures: true, cell: ({ amount }) => inrPaise(amount) },
  { label: "Rule", cell: ({ rule }) => rule },
  { label: "Valid from", figures: true, cell: ({ from }) => (from ? date(from) : "") },
  { label: "Source", cell: ({ source }) => <span className="text-ink-2">{source}</span> },
];

/** Table of the charges, each with the rule it was calculated with and the first day of that rule. */
export function ChargeTable({ lines, className }: { lines: readonly Line[]; className?: string }) {
  const sum = lines.reduce((total, { amount }) => total + Math.round(amount * 10_000), 0) / 10_000;
  return (
    <DataTable
      caption="Charges and their rules"
      columns={COLUMNS}
      rows={lines}
      rowKey={({ component, rule, from }) => `${component} ${from} ${rule}`}
      total={["Total charges", inrPaise(sum), "", "", ""]}
      {...(className && { className })}
    />
  );
}
