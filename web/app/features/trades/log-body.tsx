import { X } from "lucide-react";
import { lazy, type ReactNode, Suspense, useCallback, useMemo, useState } from "react";
import { useSearchParams } from "react-router";
import { ColumnMenu } from "#features/trades/column-menu.tsx";
import { FilterBar } from "#features/trades/filter-bar.tsx";
import { useHiddenColumns } from "#features/trades/log-columns.ts";
import { rowCount } from "#features/trades/log-text.ts";
import { clearFilters, countFilters, type LogView, parseView, writeView } from "#features/trades/log-view.ts";
import type { Trade } from "#features/trades/trade-pages.ts";
import { TradeTable } from "#features/trades/trade-table.tsx";
import { useTradeLog } from "#features/trades/use-trade-log.ts";
import { useShortcuts } from "#lib/use-shortcuts.ts";
import { Banner } from "#ui/banner.tsx";
import { Button } from "#ui/button.tsx";
import { LoadFailure } from "#ui/load-failure.tsx";
import { TableSkeleton } from "#ui/skeleton.tsx";

// The cards and the filter dialog are for phones only; TradeLog preloads them there.
const TradeCards = lazy(async () => ({
  default: (await import("#features/trades/trade-cards.tsx")).TradeCards,
}));
const FilterDialog = lazy(async () => ({
  default: (await import("#features/trades/filter-dialog.tsx")).FilterDialog,
}));
const LogTools = lazy(async () => ({ default: (await import("#features/trades/log-tools.tsx")).LogTools }));

export type LogBodyProps = {
  email: string;
  /** Number of trades in the log, without filters. */
  total: number;
  wide: boolean;
  onOpenTrade: (trade: Trade) => void;
  onHistory: () => void;
  /** Content beside the row numbers below the table. */
  foot: ReactNode;
};

/** Filters, row count and rows of the log: a table, or cards on a phone. */
export function LogBody({ email, total, wide, onOpenTrade, onHistory, foot }: LogBodyProps) {
  const [view, setView] = useLogView();
  const { list, stale, busy, error, retry } = useTradeLog(email, view, true);
  const filters = countFilters(view);
  const [hidden, toggleColumn] = useHiddenColumns();
  // The key of the search field; a change discards text that was typed but not sent yet.
  const [clears, setClears] = useState(0);
  function clear() {
    setClears(clears + 1);
    setView(clearFilters(view));
  }
  useShortcuts(filters > 0 ? { Escape: clear } : {});

  const Filters = wide ? FilterBar : FilterDialog;

  return (
    <>
      <Suspense fallback={<div className="h-11" />}>
        <Filters view={view} onChange={setView} onClear={clear} clears={clears} />
      </Suspense>
      <div className="mt-1 mb-1 flex min-h-8 items-center max-sm:mt-4 max-sm:mb-3 justify-between gap-4 text-data text-ink-2">
        <p role="status">{list && !stale && rowCount(list.rows, total, filters > 0, view.sort)}</p>
        {/* Not among the filters, where the button would need a line of its own. On a phone it is in the dialog. */}
        <div className="-my-2.5 -mr-2.5 flex items-center">
          {wide && filters > 0 && (
            <Button
              variant="quiet"
              size="sm"
              icon={<X size={15} aria-hidden />}
              onClick={clear}
              className="px-2.5! text-data!"
            >
              Clear filters
            </Button>
          )}
          <Suspense>
            {wide && <ColumnMenu hidden={hidden} onToggle={toggleColumn} />}
            <LogTools view={view} wide={wide} onHistory={onHistory} />
          </Suspense>
        </div>
      </div>
      {!list && !error && <TableSkeleton label="Loading trades" />}
      {!list && error && <LoadFailure error={error} busy={busy} onRetry={retry} />}
      {list && list.rows === 0 && (
        <div className="border-line border-y py-10">
          <h2 className="text-h3">No trades match these filters</h2>
          <p className="mt-2 max-w-prose text-ink-2">
            You have trades in the log, but none match all the filters.
            {view.q && (
              <>
                {" "}
                The search looks for <q className="break-words text-ink">{view.q}</q> in symbols and notes.
                Write a #tag in full.
              </>
            )}
          </p>
          <Button variant="secondary" onClick={clear} className="mt-5">
            Clear filters
          </Button>
        </div>
      )}
      {list && list.rows > 0 && (
        <div
          aria-busy={stale}
          className={stale ? "opacity-60 transition-opacity delay-200 duration-120" : ""}
        >
          <Suspense fallback={<TableSkeleton label="Loading trades" columns={2} />}>
            {wide ? (
              <TradeTable
                list={list}
                view={view}
                hidden={hidden}
                onChange={setView}
                onOpen={onOpenTrade}
                foot={foot}
              />
            ) : (
              <TradeCards list={list} view={view} onChange={setView} onOpen={onOpenTrade} />
            )}
          </Suspense>
        </div>
      )}
      {list && error && (
        <Banner
          tone="loss"
          role="alert"
          title="More trades could not be loaded."
          className="mt-4"
          actions={
            <Button size="sm" variant="secondary" pending={busy} onClick={retry}>
              Retry
            </Button>
          }
        >
          The trades above are complete so far. Your trades are safe on the server.
        </Banner>
      )}
    </>
  );
}

/**
 * Keeps the view in the address, so that it can be linked to and survives a reload. The router updates the address with
 * a delay, so the hook returns the new view at once and the controls do not jump back.
 */
function useLogView(): [LogView, (view: LogView) => void] {
  const [params, setParams] = useSearchParams();
  // The view stays the same object while only other parameters change.
  const key = writeView(new URLSearchParams(), parseView(params)).toString();
  const fromAddress = useMemo(() => parseView(new URLSearchParams(key)), [key]);
  const [pending, setPending] = useState<{ replaces: LogView; view: LogView }>();
  const setView = useCallback(
    (view: LogView) => {
      setPending({ replaces: fromAddress, view });
      setParams((now) => writeView(now, view), { replace: true, preventScrollReset: true });
    },
    [fromAddress, setParams],
  );
  return [pending?.replaces === fromAddress ? pending.view : fromAddress, setView];
}
