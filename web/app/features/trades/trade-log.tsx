import { useInfiniteQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { lazy, type ReactNode, Suspense, useEffect } from "react";
import { AnalyticsButton } from "#features/trades/analytics-button.tsx";
import { ClientDetails } from "#features/trades/client-details.tsx";
import { DEFAULT_VIEW } from "#features/trades/log-view.ts";
import { type Trade, tradePages } from "#features/trades/trade-pages.ts";
import { useMedia } from "#lib/use-media.ts";
import { Button } from "#ui/button.tsx";
import { LoadFailure } from "#ui/load-failure.tsx";
import { TableSkeleton } from "#ui/skeleton.tsx";

const loadBody = () => import("#features/trades/log-body.tsx");
// Preloaded while the trades load, see below; not needed for an empty log.
const LogBody = lazy(async () => ({ default: (await loadBody()).LogBody }));
const EmptyLog = lazy(async () => ({ default: (await import("#features/trades/empty-log.tsx")).EmptyLog }));

export type TradeLogProps = {
  user: { name: string; email: string };
  /** Opens the Add Trades form, from the empty log. */
  onAddFirst: () => void;
  /** Opens the manual entry, with broker and trade type of the first trade. */
  onAddTrades: (first: Trade) => void;
  onOpenTrade: (trade: Trade) => void;
  onHistory: () => void;
  /** Opens the analytics; resolves to an error message on failure. */
  openAnalytics: () => Promise<string | undefined>;
  /** Content above the rows, such as the report of an import. */
  head?: ReactNode;
};

/** Trade Log page: title, client details and the log, or its empty state. */
export function TradeLog({ user, onAddTrades, head, openAnalytics, ...on }: TradeLogProps) {
  const base = useInfiniteQuery(tradePages(user.email, DEFAULT_VIEW));
  const wide = useMedia("(width >= 40rem)");
  const record = base.data?.pages[0];
  const total = base.data?.pages.at(-1)?.total ?? 0;
  const first = record?.trades[0];
  // The empty state has its own large heading.
  const empty = record !== undefined && total === 0;

  useEffect(() => {
    // Preload the chunks while the trades load.
    void loadBody();
    if (wide) return;
    void import("#features/trades/trade-cards.tsx");
    void import("#features/trades/filter-dialog.tsx");
  }, [wide]);

  function content() {
    if (!record) {
      if (!base.isError) return <TableSkeleton label="Loading trades" />;
      return <LoadFailure error={base.error} busy={base.isFetching} onRetry={() => void base.refetch()} />;
    }
    if (empty) {
      return (
        <Suspense>
          <EmptyLog onAdd={on.onAddFirst} onHistory={on.onHistory} />
        </Suspense>
      );
    }
    return (
      <Suspense fallback={<TableSkeleton label="Loading trades" />}>
        <LogBody
          email={user.email}
          total={total}
          wide={wide}
          onOpenTrade={on.onOpenTrade}
          onHistory={on.onHistory}
          foot={<AnalyticsButton open={openAnalytics} />}
        />
      </Suspense>
    );
  }

  return (
    <>
      <div className={empty ? "" : "-mt-4 flex min-h-11 flex-wrap items-center justify-between gap-3"}>
        <h1 tabIndex={-1} className={empty ? "sr-only" : "text-[1.75rem]"}>
          Trade Log
        </h1>
        {first && (
          <div className="flex gap-3">
            <AnalyticsButton open={openAnalytics} />
            {wide && <AddTrades onPress={() => onAddTrades(first)} />}
          </div>
        )}
      </div>
      {head}
      <div className="mt-2 max-sm:mt-4">{content()}</div>
      {!base.isError && <ClientDetails user={user} record={record} />}
      {!wide && first && (
        <div
          className="sticky bottom-16 z-10 -mx-4 -mb-12 grid grid-cols-2 gap-3 border-line border-t bg-bg p-3"
          data-print="no"
        >
          <AnalyticsButton open={openAnalytics} />
          <AddTrades onPress={() => onAddTrades(first)} className="w-full px-3!" />
        </div>
      )}
    </>
  );
}

function AddTrades({ onPress, className }: { onPress: () => void; className?: string }) {
  return (
    <Button
      variant="secondary"
      icon={<Plus size={18} aria-hidden />}
      onClick={onPress}
      {...(className && { className })}
    >
      Add Trades
    </Button>
  );
}
