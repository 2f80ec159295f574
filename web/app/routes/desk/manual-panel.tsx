import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "react-router";
import { EntryForm } from "#features/entry/entry-form.tsx";
import { ManualEntryTable } from "#features/entry/manual-entry-table.tsx";
import { deskPath } from "#features/shell/desk-items.ts";
import { joinPages, manualPages, reloadTrades } from "#features/trades/trade-pages.ts";
import { type Book, bookName } from "#lib/books.ts";
import { LoadFailure } from "#ui/load-failure.tsx";
import { TRADE_LOG } from "./panel.ts";
import { reloadAddedTrades } from "./reload-added-trades.ts";
import { StrategyEntryButton } from "./strategy-entry-button.tsx";

/** Manual entry table of a book; used in the Add Trades form and as a separate panel. */
export function ManualPanel({ email, book }: { email: string; book: Book }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const { data, error, isFetching, hasNextPage, fetchNextPage, refetch } = useInfiniteQuery(
    manualPages(email, book),
  );
  return (
    <ManualEntryTable
      book={book}
      trades={data && joinPages(data.pages, hasNextPage).trades}
      more={hasNextPage && { pending: isFetching, onMore: () => void fetchNextPage() }}
      failure={error && <LoadFailure error={error} busy={isFetching} onRetry={() => void refetch()} />}
    >
      {book.tradetype === "fno" && (
        <div className="mt-4">
          <StrategyEntryButton email={email} book={book} onAdded={() => reloadAddedTrades(client)} />
        </div>
      )}
      <EntryForm
        // Remounted for another book; the draft keeps the input.
        key={bookName(book)}
        email={email}
        book={book}
        onSaved={(_, next) => {
          void reloadTrades(client);
          if (next === "leave") void navigate(deskPath(TRADE_LOG));
        }}
      />
    </ManualEntryTable>
  );
}
