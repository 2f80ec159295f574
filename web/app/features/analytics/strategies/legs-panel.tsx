import { Link } from "react-router";
import type { Strategy, StrategyLeg } from "#features/analytics/analytics-api.ts";
import { Panel } from "#features/analytics/charts/panel.tsx";
import { type Column, DataTable } from "#features/analytics/tables/data-table.tsx";
import { positionPath } from "#lib/analytics-paths.ts";
import { tradeName } from "#lib/contract.ts";
import { count, date, inrPaise, inrPrice, plural } from "#lib/format.ts";
import { Result } from "#ui/money.tsx";
import { SidePill } from "#ui/side-pill.tsx";

/** Legs of a strategy with links to their positions. */
export function LegsPanel({ strategy: { legs, charges, net } }: { strategy: Strategy }) {
  return (
    <Panel title={plural(legs.length, "leg")}>
      <DataTable
        caption="Legs"
        columns={COLUMNS}
        rows={legs}
        rowKey={(leg) => `${leg.positionId} ${leg.openedAt} ${leg.symbol}`}
        total={["All legs", <Result key="net" value={net} />, "", "", "", "", "", inrPaise(charges)]}
        className="max-h-none"
      />
    </Panel>
  );
}

const COLUMNS: readonly Column<StrategyLeg>[] = [
  {
    label: "Contract",
    cell: (leg) => (
      <Link to={positionPath(leg.positionId)} className="font-semibold hover:underline">
        {tradeName(leg)}
      </Link>
    ),
  },
  {
    label: "Net P&L",
    figures: true,
    cell: ({ net, exitPrice }) =>
      exitPrice === null ? <span className="text-ink-3">No exit yet</span> : <Result value={net} />,
  },
  { label: "Side", cell: ({ side }) => <SidePill side={side} /> },
  { label: "Qty", figures: true, cell: ({ quantity }) => count(quantity) },
  { label: "Opened at", figures: true, cell: ({ entryPrice }) => inrPrice(entryPrice) },
  {
    label: "Closed at",
    figures: true,
    cell: ({ exitPrice }) => (exitPrice === null ? "–" : inrPrice(exitPrice)),
  },
  { label: "Days", cell: legDays },
  { label: "Charges", figures: true, cell: ({ charges }) => inrPaise(charges) },
];

/** Returns "12 Nov to 18 Nov", or what is still open. */
function legDays({ openedAt, closedAt, openQuantity, awaitingSettlement }: StrategyLeg): string {
  const day = (iso: string) => date(iso).replace(/ \d+$/, "");
  if (awaitingSettlement) return `${day(openedAt)}, awaiting settlement`;
  if (!closedAt) return `${day(openedAt)}, ${count(openQuantity)} open`;
  return day(openedAt) === day(closedAt) ? day(openedAt) : `${day(openedAt)} to ${day(closedAt)}`;
}
