import { useInfiniteQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { type ReactNode, useEffect } from "react";
import { SAMPLE_FILE } from "#content/books.ts";
import { ClientDetails } from "#features/trades/client-details.tsx";
import { LoadFailure } from "#features/trades/load-failure.tsx";
import { LogBody, preloadCards } from "#features/trades/log-body.tsx";
import { DEFAULT_VIEW } from "#features/trades/log-view.ts";
import { tradePages } from "#features/trades/trade-pages.ts";
import { useMedia } from "#lib/use-media.ts";
import { Button } from "#ui/button.tsx";
import { EmptyState } from "#ui/empty-state.tsx";
import { TableSkeleton } from "#ui/skeleton.tsx";

export type TradeLogProps = {
  email: string;
  onAddTrades: () => void;
  /** News that stands at the head of the log, such as the report of an import. */
  head?: ReactNode;
};

export function TradeLog({ email, onAddTrades, head }: TradeLogProps) {
  const base = useInfiniteQuery(tradePages(email, DEFAULT_VIEW));
  const wide = useMedia("(width >= 40rem)");
  const record = base.data?.pages[0];
  const total = base.data?.pages.at(-1)?.total ?? 0;
  // The empty state has a heading of its own, large enough for two.
  const empty = record !== undefined && total === 0;

  useEffect(() => {
    if (!wide) preloadCards();
  }, [wide]);

  function content() {
    if (!record) {
      if (!base.isError) return <TableSkeleton label="Loading trades" />;
      return <LoadFailure error={base.error} busy={base.isFetching} onRetry={() => void base.refetch()} />;
    }
    if (empty) return <EmptyState name="TradeLog" onAdd={onAddTrades} sample={SAMPLE_FILE} />;
    return <LogBody email={email} total={total} wide={wide} />;
  }

  return (
    <>
      <div className={empty ? "" : "flex min-h-11 flex-wrap items-center justify-between gap-4"}>
        <h1 tabIndex={-1} className={empty ? "sr-only" : "pt-1 text-[2rem]"}>
          Trade Log
        </h1>
        {wide && total > 0 && <AddTrades onPress={onAddTrades} />}
      </div>
      {record && <ClientDetails record={record} />}
      {head}
      <div className="mt-6">{content()}</div>
      {!wide && total > 0 && (
        <div className="sticky bottom-0 z-10 -mx-4 -mb-12 border-line border-t bg-bg p-3" data-print="no">
          <AddTrades onPress={onAddTrades} className="h-12 w-full" />
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
