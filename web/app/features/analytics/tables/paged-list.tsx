import type { UseInfiniteQueryResult } from "@tanstack/react-query";
import { X } from "lucide-react";
import type { ReactNode } from "react";
import { useSearchParams } from "react-router";
import { type Drilldown, writeDrilldown } from "#features/analytics/filters/analytics-view.ts";
import { type UnitName, unitCount, unitPlural } from "#features/analytics/filters/units.ts";
import { CLOSED_TRADE_SORTS, type ClosedTradeSort } from "#features/analytics/tables/use-closed-trades.ts";
import { count } from "#lib/format.ts";
import { Button } from "#ui/button.tsx";
import { ChoiceFilter } from "#ui/choice-filter.tsx";
import { LoadFailure } from "#ui/load-failure.tsx";
import { TableSkeleton } from "#ui/skeleton.tsx";

export type ListToolsProps = {
  noun: UnitName;
  drilldown: Drilldown;
  sort: ClosedTradeSort;
  onSort: (sort: ClosedTradeSort) => void;
};

/** Buttons above a list of closed trades or positions: leave the drill-down, and sort. */
export function ListTools({ noun, drilldown, sort, onSort }: ListToolsProps) {
  const [, setParams] = useSearchParams();
  return (
    <>
      {drilldown.kind !== "all" && (
        <Button
          variant="secondary"
          size="sm"
          icon={<X size={15} aria-hidden />}
          onClick={() =>
            setParams((now) => writeDrilldown(now, { kind: "all" }), { preventScrollReset: true })
          }
          className="px-3! text-data!"
        >
          {`Show all ${unitPlural(noun)}`}
        </Button>
      )}
      <ChoiceFilter
        label="Sort by"
        value={sort}
        options={CLOSED_TRADE_SORTS}
        required
        onChange={(value) => onSort(value || "-closed")}
      />
    </>
  );
}

export type PagedListProps = {
  noun: UnitName;
  query: Pick<
    UseInfiniteQueryResult<unknown, unknown>,
    | "error"
    | "isError"
    | "isFetching"
    | "isPlaceholderData"
    | "hasNextPage"
    | "isFetchingNextPage"
    | "refetch"
    | "fetchNextPage"
  >;
  /** Number of loaded rows. */
  loaded: number;
  /** Number of rows on all pages; undefined until the first page is loaded. */
  total: number | undefined;
  children: ReactNode;
};

/** Rows of a list that loads page by page, with their number and "Show more". */
export function PagedList({ noun, query, loaded, total, children }: PagedListProps) {
  if (total === undefined)
    return (
      <div className="px-4 pb-6 sm:px-6">
        {query.isError ? (
          <LoadFailure error={query.error} busy={query.isFetching} onRetry={() => void query.refetch()} />
        ) : (
          <TableSkeleton label={`Loading ${unitPlural(noun)}`} />
        )}
      </div>
    );
  return (
    <div
      aria-busy={query.isPlaceholderData}
      className={query.isPlaceholderData ? "opacity-60 transition-opacity delay-200 duration-120" : ""}
    >
      {children}
      <div className="flex flex-wrap items-center justify-between gap-3 border-line border-t px-4 py-3 sm:px-6">
        <p role="status" className="text-data text-ink-2">
          {`${count(loaded)} of ${unitCount(total, noun)}`}
        </p>
        {query.hasNextPage && (
          <Button
            variant="secondary"
            size="sm"
            pending={query.isFetchingNextPage}
            onClick={() => void query.fetchNextPage()}
            data-print="no"
          >
            Show more
          </Button>
        )}
      </div>
    </div>
  );
}
