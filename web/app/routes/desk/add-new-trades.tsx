import { useQueryClient } from "@tanstack/react-query";
import { lazy, Suspense, useState } from "react";
import { useLocation, useNavigate } from "react-router";
import type { Book } from "#content/books.ts";
import { useBookSize } from "#features/entry/books-query.ts";
import { ENTRY_PATH, entryState, forceOn, readIntent } from "#features/entry/entry-intent.ts";
import type { Next } from "#features/entry/use-entry.ts";
import { useSession } from "#features/session/session-store.ts";
import { BackButton } from "#features/shell/back-button.tsx";
import { deskPath } from "#features/shell/desk-items.ts";
import { PageFailure } from "#features/shell/page-failure.tsx";
import { forgetTrades } from "#features/trades/trade-pages.ts";
import { pageMeta } from "#lib/seo.ts";
import { TableSkeleton } from "#ui/skeleton.tsx";
import { TRADE_LOG } from "./panel.ts";

const EntryForm = lazy(async () => ({
  default: (await import("#features/entry/entry-form.tsx")).EntryForm,
}));

export function meta() {
  return pageMeta({ title: "Add a trade", description: "Write a trade down by hand.", noindex: true });
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
  // Of a book that is empty, or will be written anew.
  const first = (book && forceOn(book, intent) === "replace") || size === 0;

  function saved({ broker, tradetype }: Book, next: Next) {
    void forgetTrades(client);
    // This page goes out of the history, or stays with another intent: a way back must not replace a second time.
    if (next === "leave") return navigate(deskPath(TRADE_LOG), { replace: true });
    return navigate(ENTRY_PATH, {
      replace: true,
      preventScrollReset: true,
      state: entryState({ broker, tradetype, force: "append" }),
    });
  }

  return (
    <>
      <BackButton otherwise="/dashboard" />
      <h1 tabIndex={-1} className="mt-2 text-[2rem]">
        {first ? "Enter Your First Trade" : "Add Another Trade"}
      </h1>
      <Suspense fallback={<TableSkeleton label="Loading the form" />}>
        <EntryForm email={user.email} intent={intent} onBook={setBook} onSaved={saved} />
      </Suspense>
    </>
  );
}
