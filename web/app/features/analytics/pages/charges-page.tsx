import type { Overview } from "#features/analytics/analytics-api.ts";
import { inrWhole } from "#features/analytics/analytics-format.ts";
import { ChargesPanel } from "#features/analytics/charges/charges-panel.tsx";
import { LedgerPanels } from "#features/analytics/charges/ledger-panels.tsx";
import { NotesPanel } from "#features/analytics/charges/notes-panel.tsx";
import { type Filters, unitName } from "#features/analytics/filters/analytics-view.ts";
import { inrPaise } from "#lib/format.ts";
import { percent } from "#lib/ratio-format.ts";

export type ChargesPageProps = { overview: Overview; filters: Filters };

/** Waterfall from gross to net P&L, what the charges mean for one unit, returns on capital and costs outside trades. */
export function ChargesPage({ overview: { figures }, filters }: ChargesPageProps) {
  const unit = unitName(filters);
  const mirror = [
    figures.closedTrades > 0 && {
      term: `Charges per ${unit}`,
      value: inrPaise(figures.charges / figures.closedTrades),
    },
    figures.gross > 0 && { term: "Share of gross profit", value: percent(figures.charges / figures.gross) },
    figures.turnover > 0 && {
      term: "Share of turnover",
      value: `${((figures.charges / figures.turnover) * 100).toFixed(3)}%`,
    },
    { term: "Net P&L, after charges", value: inrWhole(figures.net) },
  ].filter((row) => row !== false);
  return (
    <div className="grid grid-cols-1 items-start gap-5 pt-5 min-[72rem]:grid-cols-[minmax(0,1fr)_20rem]">
      <ChargesPanel filters={filters} figures={figures} />
      <section
        aria-label="Cost mirror"
        className="rounded-panel border border-line bg-surface px-4 py-5 sm:px-6"
      >
        <h2 className="text-h4">Cost mirror</h2>
        <dl className="mt-3 text-data">
          {mirror.map(({ term, value }) => (
            <div
              key={term}
              className="flex min-h-8 items-center justify-between gap-4 border-line border-t py-1"
            >
              <dt className="text-ink-2">{term}</dt>
              <dd className="figures font-semibold">{value}</dd>
            </div>
          ))}
        </dl>
      </section>
      <div className="min-w-0 space-y-5 min-[72rem]:col-span-2">
        <NotesPanel filters={filters} />
        <LedgerPanels filters={filters} />
      </div>
    </div>
  );
}
