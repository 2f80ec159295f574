import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useId, useState } from "react";
import { type Book, BROKERS, bookName, TRADE_TYPES } from "#content/books.ts";
import { ChangeEntry } from "#features/history/change-entry.tsx";
import { changePages } from "#features/history/change-pages.ts";
import { UndoDialog } from "#features/history/undo-dialog.tsx";
import { errorLine } from "#lib/problem.ts";
import { type Change, undoneWords } from "#lib/undo-change.ts";
import { useNewHeading } from "#lib/use-new-heading.ts";
import { Banner } from "#ui/banner.tsx";
import { Button } from "#ui/button.tsx";
import { Select } from "#ui/select.tsx";
import { TableSkeleton } from "#ui/skeleton.tsx";

const BOOKS = BROKERS.flatMap(({ value: broker }) =>
  TRADE_TYPES.map(({ value: tradetype }): Book => ({ broker, tradetype })),
).map((book) => ({ book, value: `${book.broker}-${book.tradetype}`, label: bookName(book) }));

/** Everything that was done to the books, the newest first, and the way back from it. */
export function HistoryList({ onUndone }: { onUndone: () => void }) {
  const id = useId();
  const client = useQueryClient();
  const [chosen, setChosen] = useState("");
  const pages = changePages(BOOKS.find(({ value }) => value === chosen)?.book);
  const history = useInfiniteQuery(pages);
  const [asked, setAsked] = useState<Change>();
  const [news, setNews] = useState("");
  // The button that had the focus is gone then.
  useNewHeading(news);
  const changes = history.data?.pages.flatMap((page) => page.changes);

  /** Also after an undo that was refused: the list may be older than the book. */
  function close() {
    setAsked(undefined);
    void client.invalidateQueries({ queryKey: pages.queryKey });
  }

  return (
    <>
      <p className="max-w-prose text-ink-2 text-ui">
        Everything that was done to your trades. For 30 days each change can be undone.
      </p>
      <div className="mt-4 flex max-w-3xl flex-wrap items-center gap-x-3 gap-y-1">
        <label htmlFor={id} className="font-semibold text-ui">
          Book
        </label>
        <div className="w-64 max-w-full">
          <Select
            id={id}
            options={[{ value: "", label: "All books" }, ...BOOKS]}
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
            <p className="font-semibold text-loss">{errorLine(history.error)}</p>
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
            Nothing was done {chosen ? "to this book" : "here"} yet. Imports, entries, edits and deletions
            will stand in this list.
          </p>
        )}
        {changes && changes.length > 0 && (
          <ol aria-label="Changes" className="rounded-panel border border-line bg-surface">
            {changes.map((change) => (
              <ChangeEntry key={change.id} change={change} onUndo={() => setAsked(change)} />
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
      {asked && (
        <UndoDialog
          key={asked.id}
          change={asked}
          onClose={close}
          onUndone={(undone) => {
            setNews(`Undone. ${undoneWords(undone)}`);
            close();
            onUndone();
          }}
        />
      )}
    </>
  );
}
