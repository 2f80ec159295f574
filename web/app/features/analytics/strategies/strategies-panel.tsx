import { lazy, Suspense } from "react";
import { Link } from "react-router";
import type { Strategy } from "#features/analytics/analytics-api.ts";
import { Panel } from "#features/analytics/charts/panel.tsx";
import { CSV_AND_EXCEL, DownloadButtons, type FileFormat } from "#features/analytics/download-buttons.tsx";
import { NetResult } from "#features/analytics/strategies/net-result.tsx";
import type { StrategiesQuery } from "#features/analytics/strategies/strategies-page.tsx";
import { type StrategyFilters, strategyQuery } from "#features/analytics/strategies/strategies-view.ts";
import {
  capitalize,
  daysText,
  STATES,
  shapePlural,
  shapeTitle,
  strategyName,
  strikesText,
} from "#features/analytics/strategies/strategy-names.ts";
import { type Column, DataTable } from "#features/analytics/tables/data-table.tsx";
import { PagedList } from "#features/analytics/tables/paged-list.tsx";
import { useViewer } from "#features/analytics/viewer.ts";
import { strategyPath } from "#lib/analytics-paths.ts";
import { api } from "#lib/api.ts";
import { plural } from "#lib/format.ts";
import { Button } from "#ui/button.tsx";

const GroupingNote = lazy(async () => ({
  default: (await import("#features/analytics/strategies/grouping-note.tsx")).GroupingNote,
}));

export type StrategiesPanelProps = {
  filters: StrategyFilters;
  query: StrategiesQuery;
  onClear: () => void;
};

/** Paged list of the strategies that match the filters. */
export function StrategiesPanel({ filters, query, onClear }: StrategiesPanelProps) {
  const { isOwner, requestInit } = useViewer();
  const { shape } = filters;
  const load = (format: FileFormat) =>
    api.GET("/analytics/strategies/export", {
      params: { query: { format, ...strategyQuery(filters) } },
      parseAs: "blob",
      ...requestInit,
    });
  const strategies = query.data?.pages.flatMap((page) => page.strategies) ?? [];
  return (
    <Panel
      title={shape ? capitalize(shapePlural(shape)) : "All strategies"}
      text="Newest first. Open a strategy to see its payoff, and to join or split it."
    >
      {isOwner && (
        <Suspense fallback={null}>
          <GroupingNote />
        </Suspense>
      )}
      {strategies.length > 0 && (
        <div data-print="no" className="flex flex-wrap gap-2 px-4 pb-4 sm:px-6">
          <DownloadButtons label="Strategies" files={CSV_AND_EXCEL} load={load} />
        </div>
      )}
      <PagedList noun="strategy" query={query} loaded={strategies.length} total={query.data?.pages[0]?.total}>
        {strategies.length === 0 ? (
          <div className="px-4 pb-6 text-ink-2 text-ui sm:px-6">
            <p>No strategies match these filters.</p>
            <Button variant="secondary" size="sm" onClick={onClear} className="mt-3">
              Show all strategies
            </Button>
          </div>
        ) : (
          <DataTable
            caption="List of strategies"
            columns={COLUMNS}
            rows={strategies}
            rowKey={({ id }) => id}
            className="max-h-none"
          />
        )}
      </PagedList>
    </Panel>
  );
}

const COLUMNS: readonly Column<Strategy>[] = [
  {
    label: "Strategy",
    cell: (strategy) => (
      <>
        <Link to={strategyPath(strategy.id)} className="font-semibold hover:underline sm:whitespace-nowrap">
          {strategyName(strategy)}
        </Link>
        <span className="block text-floor text-ink-2">
          {[strategy.name && shapeTitle(strategy), strategy.confirmedAt && "Confirmed"]
            .filter(Boolean)
            .join(" · ")}
        </span>
        {strategy.candidates.length > 0 && (
          <span className="block text-floor text-warn">Check the grouping</span>
        )}
      </>
    ),
  },
  { label: "Net P&L", figures: true, cell: (strategy) => <NetResult {...strategy} /> },
  { label: "Days", cell: daysText },
  {
    label: "Strikes at the end",
    cell: (strategy) => (
      <>
        {strikesText(strategy)}
        <span className="block text-floor text-ink-2">{plural(strategy.legs.length, "leg")}</span>
      </>
    ),
  },
  { label: "State", cell: ({ state }) => stateLabel(state) },
];

function stateLabel(state: Strategy["state"]): string {
  return STATES.find(({ value }) => value === state)?.label ?? state;
}
