import { X } from "lucide-react";
import { lazy, Suspense } from "react";
import { FilterBar } from "#features/trades/filter-bar.tsx";
import { FilterDialog } from "#features/trades/filter-dialog.tsx";
import { LoadFailure } from "#features/trades/load-failure.tsx";
import { clearFilters, countFilters } from "#features/trades/log-view.ts";
import { rowCount } from "#features/trades/log-words.ts";
import { TradeTable } from "#features/trades/trade-table.tsx";
import { useLogView } from "#features/trades/use-log-view.ts";
import { useTradeLog } from "#features/trades/use-trade-log.ts";
import { useShortcuts } from "#lib/use-shortcuts.ts";
import { Banner } from "#ui/banner.tsx";
import { Button } from "#ui/button.tsx";
import { TableSkeleton } from "#ui/skeleton.tsx";

const loadCards = () => import("#features/trades/trade-cards.tsx");
// On a phone alone; asked for before the trades have come, see below.
const TradeCards = lazy(async () => ({ default: (await loadCards()).TradeCards }));

export type LogBodyProps = {
  email: string;
  /** Trades in the log without any filter. */
  total: number;
  wide: boolean;
};

/** Both ways lead over the network: while the trades are on theirs, the cards come on the other. */
export function preloadCards(): void {
  void loadCards();
}

/** Filters, the count in words, and the rows: a table, or cards on a phone. */
export function LogBody({ email, total, wide }: LogBodyProps) {
  const [view, setView] = useLogView();
  const { list, stale, busy, error, retry } = useTradeLog(email, view, true);
  const filters = countFilters(view);
  const clear = () => setView(clearFilters(view));
  useShortcuts(filters > 0 ? { Escape: clear } : {});

  const Filters = wide ? FilterBar : FilterDialog;
  const List = wide ? TradeTable : TradeCards;

  return (
    <>
      <Filters view={view} onChange={setView} />
      <div className="mt-4 mb-3 flex min-h-[1.45em] items-center justify-between gap-4 text-data text-ink-2">
        <p role="status">{list && !stale && rowCount(list.rows, total, filters > 0, view.sort)}</p>
        {/* Here and not among the filters, where it would need a line of its own. On a phone their dialog has it. */}
        {wide && filters > 0 && (
          <Button
            variant="quiet"
            size="sm"
            icon={<X size={15} aria-hidden />}
            onClick={clear}
            className="-my-2.5 -mr-2.5 px-2.5! text-data!"
          >
            Clear filters
          </Button>
        )}
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
            <List list={list} view={view} onChange={setView} />
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
