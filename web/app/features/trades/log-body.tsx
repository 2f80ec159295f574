import { X } from "lucide-react";
import { lazy, type ReactNode, Suspense, useState } from "react";
import { FilterBar } from "#features/trades/filter-bar.tsx";
import { clearFilters, countFilters } from "#features/trades/log-view.ts";
import { rowCount } from "#features/trades/log-words.ts";
import type { Trade } from "#features/trades/trade-pages.ts";
import { TradeTable } from "#features/trades/trade-table.tsx";
import { useLogView } from "#features/trades/use-log-view.ts";
import { useTradeLog } from "#features/trades/use-trade-log.ts";
import { useShortcuts } from "#lib/use-shortcuts.ts";
import { Banner } from "#ui/banner.tsx";
import { Button } from "#ui/button.tsx";
import { LoadFailure } from "#ui/load-failure.tsx";
import { TableSkeleton } from "#ui/skeleton.tsx";

// On a phone alone; the log asks for them before the trades have come.
const TradeCards = lazy(async () => ({
  default: (await import("#features/trades/trade-cards.tsx")).TradeCards,
}));
const FilterDialog = lazy(async () => ({
  default: (await import("#features/trades/filter-dialog.tsx")).FilterDialog,
}));
const LogTools = lazy(async () => ({ default: (await import("#features/trades/log-tools.tsx")).LogTools }));

export type LogBodyProps = {
  email: string;
  /** Trades in the log without any filter. */
  total: number;
  wide: boolean;
  onOpenTrade: (trade: Trade) => void;
  onHistory: () => void;
  /** Stands beside the row numbers under the table. */
  foot: ReactNode;
};

/** Filters, the count in words, and the rows: a table, or cards on a phone. */
export function LogBody({ email, total, wide, onOpenTrade, onHistory, foot }: LogBodyProps) {
  const [view, setView] = useLogView();
  const { list, stale, busy, error, retry } = useTradeLog(email, view, true);
  const filters = countFilters(view);
  // Counted, so that what was typed and not sent yet goes as well.
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
      <div className="mt-4 mb-3 flex min-h-[1.45em] items-center justify-between gap-4 text-data text-ink-2">
        <p role="status">{list && !stale && rowCount(list.rows, total, filters > 0, view.sort)}</p>
        {/* Here and not among the filters, where it would need a line of its own. On a phone their dialog has it. */}
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
            <LogTools view={view} wide={wide} onHistory={onHistory} />
          </Suspense>
        </div>
      </div>
      {!list && !error && <TableSkeleton label="Loading trades" />}
      {!list && error && <LoadFailure error={error} busy={busy} onRetry={retry} />}
      {list && list.rows === 0 && (
        <div className="border-line border-y py-10">
          <h2 className="text-h3">No trades match these filters</h2>
          <p className="mt-2 text-ink-2">There are trades in the log, but none that fit all of them.</p>
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
              <TradeTable list={list} view={view} onChange={setView} onOpen={onOpenTrade} foot={foot} />
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
          Those that came stay as they are; nothing is lost on the server.
        </Banner>
      )}
    </>
  );
}
