import { keepPreviousData } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { useSearchParams } from "react-router";
import { FRESH, type Position } from "#features/analytics/analytics-api.ts";
import { Panel } from "#features/analytics/charts/panel.tsx";
import {
  type Drilldown,
  drilldownName,
  drilldownQuery,
  type Filters,
  parseDrilldown,
  parsePosition,
  writePosition,
} from "#features/analytics/filters/analytics-view.ts";
import { PositionSheet } from "#features/analytics/positions/position-sheet.tsx";
import { PositionTable } from "#features/analytics/positions/position-table.tsx";
import { ListTools, PagedList } from "#features/analytics/tables/paged-list.tsx";
import type { ClosedTradeSort } from "#features/analytics/tables/use-closed-trades.ts";
import { useViewer } from "#features/analytics/viewer.ts";
import { $api } from "#lib/api-query.ts";
import { count, plural } from "#lib/format.ts";
import { pageSize } from "#lib/page-size.ts";
import { useShortcuts } from "#lib/use-shortcuts.ts";

/** Paged list of the positions, or of those of a figure, with the side panel of one of them. */
export function PositionsPanel({ filters }: { filters: Filters }) {
  const [params, setParams] = useSearchParams();
  const drilldown = parseDrilldown(params);
  const [sort, setSort] = useState<ClosedTradeSort>("-closed");
  const { positions, page, query } = usePositions(filters, drilldown, sort);
  const shown = parsePosition(params);
  const index = positions.findIndex(({ id }) => id === shown);

  function open(id: string, replace: boolean) {
    setParams((now) => writePosition(now, id), { replace, preventScrollReset: true });
  }
  function move(step: number) {
    const next = positions[index + step];
    if (shown && next) open(next.id, true);
  }
  useShortcuts(shown ? { j: () => move(1), k: () => move(-1) } : {});

  return (
    <Panel
      title={title(drilldown, page?.total)}
      text={`${listText(filters)} Open one to see its trades, lots and charges.`}
      tools={<ListTools noun="position" drilldown={drilldown} sort={sort} onSort={setSort} />}
    >
      <PagedList noun="position" query={query} loaded={positions.length} total={page?.total}>
        {!page || positions.length === 0 ? (
          <p className="px-4 pb-6 text-ink-2 text-ui sm:px-6">
            No positions match. Show all positions, or change the filters.
          </p>
        ) : (
          <PositionTable
            positions={positions}
            days={query.data?.pages.flatMap(({ days }) => days) ?? []}
            sums={page.sums}
            byDay={sort === "-closed" || sort === "closed"}
            shown={shown}
            onOpen={(id) => open(id, false)}
          />
        )}
      </PagedList>
      {shown && (
        <PositionSheet
          id={shown}
          place={index < 0 ? "" : `${count(index + 1)} of ${count(page?.total ?? 0)}`}
          onPrevious={index > 0 ? () => move(-1) : undefined}
          onNext={index >= 0 && index + 1 < positions.length ? () => move(1) : undefined}
          onClose={() => open("", false)}
        />
      )}
    </Panel>
  );
}

/** Loads the positions that match, page by page. */
function usePositions(filters: Filters, drilldown: Drilldown, sort: ClosedTradeSort) {
  const viewer = useViewer();
  const [limit] = useState(() => pageSize(25, 18));
  const query = $api.useInfiniteQuery(
    "get",
    "/analytics/positions",
    {
      params: { query: { limit, sort, ...drilldownQuery(filters, drilldown) } },
      ...viewer.requestInit,
    },
    {
      ...FRESH,
      pageParamName: "cursor",
      initialPageParam: undefined,
      getNextPageParam: (page) => page.nextCursor,
      placeholderData: keepPreviousData,
    },
  );
  const positions = useMemo<Position[]>(
    () => query.data?.pages.flatMap(({ positions }) => positions) ?? [],
    [query.data],
  );
  return { positions, page: query.data?.pages[0], query };
}

function listText({ unit }: Filters): string {
  return unit === "strategies"
    ? "The figures count strategies; this list shows positions, each with its own result."
    : "From flat to flat, with all additions and partial exits.";
}

function title(drilldown: Drilldown, total: number | undefined): string {
  const name = drilldownName(drilldown);
  if (!name || total === undefined) return name || "Positions";
  return `${name}: ${plural(total, "position")}`;
}
