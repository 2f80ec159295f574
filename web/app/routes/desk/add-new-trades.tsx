import { useQueryClient } from "@tanstack/react-query";
import { lazy, Suspense, useState } from "react";
import { useLocation, useNavigate } from "react-router";
import { useBookSize } from "#features/entry/book-sizes.ts";
import { ENTRY_PATH, entryState, forcedMode, readIntent } from "#features/entry/entry-intent.ts";
import type { AfterSave } from "#features/entry/use-entry.ts";
import { useSession } from "#features/session/session-store.ts";
import { BackButton } from "#features/shell/back-button.tsx";
import { deskPath } from "#features/shell/desk-items.ts";
import { PageFailure } from "#features/shell/page-failure.tsx";
import { reloadTrades } from "#features/trades/trade-pages.ts";
import type { Book } from "#lib/books.ts";
import { pageMeta } from "#lib/seo.ts";
import { TableSkeleton } from "#ui/skeleton.tsx";
import { TRADE_LOG } from "./panel.ts";
import { reloadAddedTrades } from "./reload-added-trades.ts";

const EntryForm = lazy(async () => ({
  default: (await import("#features/entry/entry-form.tsx")).EntryForm,
}));

// Lazy, because every page of the site lists the modules that a route imports.
const StrategyEntryButton = lazy(async () => ({
  default: (await import("./strategy-entry-button.tsx")).StrategyEntryButton,
}));

export function meta() {
  return pageMeta({ title: "Add a trade", description: "Add a trade by hand.", noindex: true });
}

export function ErrorBoundary() {
  return <PageFailure />;
}

export default function AddNewTradesPage() {
  const { user } = useSession();
  const client = useQueryClient();
  const navigate = useNavigate();
  const intent = readIntent(useLocation().state);
  const [book, setBook] = useState<Book | undefined>(intent);
  const size = useBookSize(book);
  // True if the book is empty or will be replaced.
  const isFirst = (book && forcedMode(book, intent) === "replace") || size === 0;

  /** Adds to the book from now on: the form must not replace the trades of the strategy. */
  function handleStrategy() {
    if (book) void openToAdd(book);
    reloadAddedTrades(client);
  }

  function openToAdd({ broker, tradetype }: Book) {
    return navigate(ENTRY_PATH, {
      replace: true,
      preventScrollReset: true,
      state: entryState({ broker, tradetype, force: "append" }),
    });
  }

  function handleSaved({ broker, tradetype }: Book, next: AfterSave) {
    void reloadTrades(client);
    // Replace this history entry: Back must not lead to a form that replaces the trades again.
    if (next === "leave") return navigate(deskPath(TRADE_LOG), { replace: true });
    return openToAdd({ broker, tradetype });
  }

  return (
    <>
      <BackButton fallback="/dashboard" />
      <div className="mt-2 flex min-h-11 flex-wrap items-center justify-between gap-x-6 gap-y-3">
        <h1 tabIndex={-1} className="text-[2rem]">
          {isFirst ? "Enter Your First Trade" : "Add Another Trade"}
        </h1>
        {/* A strategy is always added: not offered to a trader who chose to replace the trades of the book. */}
        {book?.tradetype === "fno" && (!isFirst || size === 0) && (
          <Suspense>
            <StrategyEntryButton email={user.email} book={book} onAdded={handleStrategy} />
          </Suspense>
        )}
      </div>
      <Suspense fallback={<TableSkeleton label="Loading the form" />}>
        <EntryForm email={user.email} intent={intent} onBook={setBook} onSaved={handleSaved} />
      </Suspense>
    </>
  );
}
