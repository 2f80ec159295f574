import { QueryClientProvider, useQueryClient } from "@tanstack/react-query";
import { lazy, Suspense, useEffect, useState } from "react";
import { useSearchParams } from "react-router";
import { type Entry, prependEntry } from "#features/journal/entries.ts";
import { type EntryType, parseEntryType } from "#features/journal/entry-types.ts";
import { JournalList } from "#features/journal/journal-list.tsx";
import { JournalTabs, PANEL_ID, tabId } from "#features/journal/journal-tabs.tsx";
import { SaveToAccount } from "#features/journal/save-to-account.tsx";
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
  /** True while the dialog is open; its button is in the header of the page. */
  adding: boolean;
  onAdding: (adding: boolean) => void;
};

/** The journal: tabs, entries, and the dialog that adds one. */
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
  const type = parseEntryType(params);
  const lists = { intraday: useEntries(account, "intraday"), equity: useEntries(account, "equity") };
  // Shown together, because the second list would shift the first.
  const ready = Object.values(lists).every(({ list, error }) => list || error);
  const [saved, setSaved] = useState<Entry>();
  // Stays mounted once opened, so that it keeps the input.
  const [opened, setOpened] = useState(false);

  // Preloaded, so that the button opens it at once.
  useEffect(() => void loadDialog(), []);
  useEffect(() => {
    if (!adding) return;
    setOpened(true);
    setSaved(undefined);
  }, [adding]);

  function selectTab(next: EntryType) {
    setSaved(undefined);
    setParams({ tab: next }, { preventScrollReset: true });
  }

  function handleSaved(entry: Entry) {
    onAdding(false);
    setSaved(entry);
    prependEntry(client, account, entry);
  }

  return (
    <>
      <JournalTabs
        current={type}
        totals={{ intraday: lists.intraday.list?.total, equity: lists.equity.list?.total }}
        onChange={selectTab}
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
      <div role="tabpanel" id={PANEL_ID} aria-labelledby={tabId(type)}>
        <SaveToAccount account={account} lists={[lists.intraday.list, lists.equity.list]} />
        {ready ? (
          <JournalList type={type} state={lists[type]} newest={saved?.id} />
        ) : (
          <TableSkeleton label="Loading trades" />
        )}
      </div>
      {opened && (
        <Suspense>
          <EntryDialog open={adding} type={type} onClose={() => onAdding(false)} onSaved={handleSaved} />
        </Suspense>
      )}
    </>
  );
}
