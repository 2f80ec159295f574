import { QueryClientProvider, useQueryClient } from "@tanstack/react-query";
import { lazy, Suspense, useEffect, useState } from "react";
import { useSearchParams } from "react-router";
import { type Entry, prependEntry } from "#features/journal/entries.ts";
import { JournalList } from "#features/journal/journal-list.tsx";
import { JournalTabs, PANEL, tabId } from "#features/journal/journal-tabs.tsx";
import { Keeping } from "#features/journal/keeping.tsx";
import { type Kind, parseKind } from "#features/journal/kinds.ts";
import { useEntries } from "#features/journal/use-entries.ts";
import { queryClient } from "#lib/query-client.ts";
import { Banner } from "#ui/banner.tsx";
import { TableSkeleton } from "#ui/skeleton.tsx";

const loadDialog = async () => ({
  default: (await import("#features/journal/entry-dialog.tsx")).EntryDialog,
});
const EntryDialog = lazy(loadDialog);

export type JournalBoardProps = {
  account: string;
  /** The dialog is open: its button stands at the head of the page. */
  adding: boolean;
  onAdding: (adding: boolean) => void;
};

/** The journal itself: tabs, entries, and the dialog that adds one. */
export function JournalBoard(props: JournalBoardProps) {
  return (
    <QueryClientProvider client={queryClient}>
      <Board {...props} />
    </QueryClientProvider>
  );
}

function Board({ account, adding, onAdding }: JournalBoardProps) {
  const client = useQueryClient();
  const [params, setParams] = useSearchParams();
  const kind = parseKind(params);
  const lists = { intraday: useEntries(account, "intraday"), equity: useEntries(account, "equity") };
  // Both at once: what the second one brings would move the first.
  const ready = Object.values(lists).every(({ list, error }) => list || error);
  const [saved, setSaved] = useState<Entry>();
  // Once opened it stays: closed half-way it keeps what was typed.
  const [opened, setOpened] = useState(false);

  // Before it is asked for: the button shall answer at once.
  useEffect(() => void loadDialog(), []);
  useEffect(() => {
    if (!adding) return;
    setOpened(true);
    setSaved(undefined);
  }, [adding]);

  function show(next: Kind) {
    setSaved(undefined);
    setParams({ tab: next }, { preventScrollReset: true });
  }

  function take(entry: Entry) {
    onAdding(false);
    setSaved(entry);
    prependEntry(client, account, entry);
  }

  return (
    <>
      <JournalTabs
        current={kind}
        totals={{ intraday: lists.intraday.list?.total, equity: lists.equity.list?.total }}
        onChange={show}
      />
      {saved && (
        <Banner
          tone="gain"
          role="alert"
          title="Your Trade updates successfully"
          onDismiss={() => setSaved(undefined)}
          className="mb-5"
        />
      )}
      <div role="tabpanel" id={PANEL} aria-labelledby={tabId(kind)}>
        <Keeping account={account} lists={[lists.intraday.list, lists.equity.list]} />
        {ready ? (
          <JournalList kind={kind} state={lists[kind]} newest={saved?.id} />
        ) : (
          <TableSkeleton label="Loading trades" />
        )}
      </div>
      {opened && (
        <Suspense>
          <EntryDialog open={adding} kind={kind} onClose={() => onAdding(false)} onSaved={take} />
        </Suspense>
      )}
    </>
  );
}
