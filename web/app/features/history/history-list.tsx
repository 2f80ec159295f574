import { infiniteQueryOptions, useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useId, useState } from "react";
import { ChangeEntry } from "#features/history/change-entry.tsx";
import { UndoDialog } from "#features/history/undo-dialog.tsx";
import { api } from "#lib/api.ts";
import { type Book, bookName, TRADE_TYPES } from "#lib/books.ts";
import { useOwnBrokers } from "#lib/broker-accounts.ts";
import { useHeadingFocus } from "#lib/heading-focus.ts";
import { errorMessage } from "#lib/problem.ts";
import { type Change, undoneText } from "#lib/undo-change.ts";
import { Banner } from "#ui/banner.tsx";
import { Button } from "#ui/button.tsx";
import { Select } from "#ui/select.tsx";
import { TableSkeleton } from "#ui/skeleton.tsx";

/** List of all changes, newest first, each with an Undo button. */
export function HistoryList({ onUndone }: { onUndone: () => void }) {
  const id = useId();
  const client = useQueryClient();
  const [chosen, setChosen] = useState("");
  const books = useOwnBrokers()
    .flatMap(({ value: broker }) => TRADE_TYPES.map(({ value: tradetype }): Book => ({ broker, tradetype })))
    .map((book) => ({ book, value: `${book.broker}-${book.tradetype}`, label: bookName(book) }));
  const pages = changePages(books.find(({ value }) => value === chosen)?.book);
  const history = useInfiniteQuery(pages);
  const [pendingUndo, setPendingUndo] = useState<Change>();
  const [news, setNews] = useState("");
  // The focused Undo button disappears after the undo.
  useHeadingFocus(news);
  const changes = history.data?.pages.flatMap((page) => page.changes);

  /** Closes the dialog and loads the list again; after a rejected undo it may be outdated, too. */
  function close() {
    setPendingUndo(undefined);
    void client.invalidateQueries({ queryKey: pages.queryKey });
  }

  return (
    <>
      <p className="max-w-prose text-ink-2 text-ui">
        All changes to your trades. You can undo each change for 30 days.
      </p>
      <div className="mt-4 flex max-w-3xl flex-wrap items-center gap-x-3 gap-y-1">
        <label htmlFor={id} className="font-semibold text-ui">
          Broker and trade type
        </label>
        <div className="w-64 max-w-full">
          <Select
            id={id}
            options={[{ value: "", label: "All" }, ...books]}
            value={chosen}
            onChange={(event) => setChosen(event.currentTarget.value)}
          />
        </div>
      </div>
      <div role="status" className="max-w-3xl">
        {news && <Banner tone="gain" title={news} onDismiss={() => setNews("")} className="mt-4" />}
      </div>
      <div className="mt-4 max-w-3xl">
        {!changes && !history.error && <TableSkeleton label="Loading the history" columns={2} />}
        {history.error && (
          <div role="alert" className="border-rule border-l py-1 pl-5">
            <p className="font-semibold text-loss">{errorMessage(history.error)}</p>
            <Button
              variant="secondary"
              pending={history.isFetching}
              onClick={() => void history.refetch()}
              className="mt-4"
            >
              Retry
            </Button>
          </div>
        )}
        {changes?.length === 0 && (
          <p className="border-line border-y py-8 text-ink-2">
            No changes yet. Imports, manual entries, edits and deletions appear here.
          </p>
        )}
        {changes && changes.length > 0 && (
          <ol aria-label="Changes" className="rounded-panel border border-line bg-surface">
            {changes.map((change) => (
              <ChangeEntry key={change.id} change={change} onUndo={() => setPendingUndo(change)} />
            ))}
          </ol>
        )}
        {history.hasNextPage && (
          <Button
            variant="secondary"
            pending={history.isFetchingNextPage}
            onClick={() => void history.fetchNextPage()}
            className="mt-4"
          >
            Show older changes
          </Button>
        )}
      </div>
      {pendingUndo && (
        <UndoDialog
          key={pendingUndo.id}
          change={pendingUndo}
          onClose={close}
          onUndone={(undone) => {
            setNews(`Undone. ${undoneText(undone)}`);
            close();
            onUndone();
          }}
        />
      )}
    </>
  );
}

/** Query for the changes of one book or of all, newest first; never cached, because other tabs make changes, too. */
function changePages(book: Book | undefined) {
  return infiniteQueryOptions({
    queryKey: ["get", "/trades/changes", book ?? {}],
    queryFn: async ({ pageParam, signal }) => {
      const query = { ...book, ...(pageParam && { cursor: pageParam }) };
      const { data, error } = await api.GET("/trades/changes", { params: { query }, signal });
      if (data) return data;
      throw error ?? new Error("the response has no body");
    },
    initialPageParam: "",
    getNextPageParam: (page) => page.nextCursor,
    staleTime: 0,
    gcTime: 0,
  });
}
