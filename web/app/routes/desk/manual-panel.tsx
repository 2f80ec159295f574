import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "react-router";
import { type Book, bookName } from "#content/books.ts";
import { EntryForm } from "#features/entry/entry-form.tsx";
import { ManualTable } from "#features/entry/manual-table.tsx";
import { deskPath } from "#features/shell/desk-items.ts";
import { forgetTrades, joinPages, manualPages } from "#features/trades/trade-pages.ts";
import { LoadFailure } from "#ui/load-failure.tsx";
import { TRADE_LOG } from "./panel.ts";

/** The manual entry table of a book: under the form while manual is chosen, and as a panel of its own. */
export function ManualPanel({ email, book }: { email: string; book: Book }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const { data, error, isFetching, hasNextPage, fetchNextPage, refetch } = useInfiniteQuery(
    manualPages(email, book),
  );
  return (
    <ManualTable
      book={book}
      trades={data && joinPages(data.pages, hasNextPage).trades}
      more={hasNextPage && { pending: isFetching, onMore: () => void fetchNextPage() }}
      failure={error && <LoadFailure error={error} busy={isFetching} onRetry={() => void refetch()} />}
    >
      <EntryForm
        // Another book begins with its own name on the form; what was typed comes along with the draft.
        key={bookName(book)}
        email={email}
        book={book}
        onSaved={(_, next) => {
          void forgetTrades(client);
          if (next === "leave") void navigate(deskPath(TRADE_LOG));
        }}
      />
    </ManualTable>
  );
}
