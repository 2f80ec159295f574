import { EntryCards } from "#features/journal/entry-cards.tsx";
import { EntryTable } from "#features/journal/entry-table.tsx";
import { type EntryType, entryTypeLabel } from "#features/journal/entry-types.ts";
import type { EntriesState } from "#features/journal/use-entries.ts";
import { count } from "#lib/format.ts";
import { useMedia } from "#lib/use-media.ts";
import { Banner } from "#ui/banner.tsx";
import { Button } from "#ui/button.tsx";
import { FirstLine } from "#ui/first-line.tsx";
import { TableSkeleton } from "#ui/skeleton.tsx";

export type JournalListProps = {
  type: EntryType;
  state: EntriesState;
  /** The id of the entry that was just stored. */
  newest: string | undefined;
};

export function JournalList({ type, state: { list, error, busy, more, retry }, newest }: JournalListProps) {
  const wide = useMedia("(width >= 70rem)");
  const failure = error && !busy && (
    <Banner
      tone="loss"
      role="alert"
      title={list ? "The next trades could not be loaded." : "Your journal could not be loaded."}
      actions={
        <Button size="sm" variant="secondary" onClick={retry}>
          Retry
        </Button>
      }
      className="my-4"
    >
      Your saved trades are safe on the server.
    </Banner>
  );
  if (!list) return failure || <TableSkeleton label="Loading trades" />;
  if (list.total === 0) return <NoEntries type={type} />;

  const List = wide ? EntryTable : EntryCards;
  return (
    <>
      <List list={list} type={type} newest={newest} />
      {failure}
      {more && !failure && (
        <div className="mt-4 flex flex-wrap items-center gap-4">
          <Button variant="secondary" pending={busy} onClick={more} className="max-sm:w-full">
            Show more
          </Button>
          <p role="status" className="figures text-data text-ink-2">
            {count(list.entries.length)} of {count(list.total)} shown
          </p>
        </div>
      )}
    </>
  );
}

function NoEntries({ type }: { type: EntryType }) {
  return (
    <div className="flex flex-col items-start pt-4">
      <FirstLine />
      <p className="mt-7 font-semibold text-lead">No {entryTypeLabel(type).toLowerCase()} trades yet.</p>
      <p className="max-w-[44ch] text-ink-2">
        {type === "intraday"
          ? "Trades that you open and close on the same day appear here."
          : "Trades that you hold for more than a day appear here."}{" "}
        Press Add Trade to enter your first one.
      </p>
    </div>
  );
}
