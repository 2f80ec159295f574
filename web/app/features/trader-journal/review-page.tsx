import { useState } from "react";
import { useSearchParams } from "react-router";
import { BulkBar } from "#features/trader-journal/bulk-bar.tsx";
import { JournalNav } from "#features/trader-journal/journal-nav.tsx";
import { ReviewItem } from "#features/trader-journal/review-item.tsx";
import { type ReviewQueue, useReviewQueue } from "#features/trader-journal/use-review-queue.ts";
import { tradeName } from "#lib/contract.ts";
import { count, date, plural } from "#lib/format.ts";
import { Button, ButtonLink } from "#ui/button.tsx";
import { LoadFailure } from "#ui/load-failure.tsx";
import { Result } from "#ui/money.tsx";
import { TableSkeleton } from "#ui/skeleton.tsx";

/** Queue of unreviewed positions, and one of them. */
export function ReviewPage({ email }: { email: string }) {
  const queue = useReviewQueue();
  const { pages } = queue;
  return (
    <>
      <div className="flex flex-wrap items-baseline justify-between gap-3 pt-1">
        <h1 tabIndex={-1} className="text-[2rem]">
          Review
        </h1>
        {pages.data && (
          <p role="status" className="text-data text-ink-2">
            {progressText(queue)}
          </p>
        )}
      </div>
      <JournalNav current="Review" />
      {pages.isError && (
        <LoadFailure error={pages.error} busy={pages.isFetching} onRetry={() => void pages.refetch()} />
      )}
      {pages.isPending && (
        <div className="mt-6">
          <TableSkeleton label="Loading positions" columns={3} />
        </div>
      )}
      {pages.data && <Queue email={email} queue={queue} />}
    </>
  );
}

function progressText({ items, done, pages }: ReviewQueue): string {
  const left = items.length - done;
  return `${count(left)}${pages.hasNextPage ? " or more" : ""} left, ${count(done)} done`;
}

function Queue({ email, queue }: { email: string; queue: ReviewQueue }) {
  const [params, setParams] = useSearchParams();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const { items, pages } = queue;
  const chosen = params.get("position");
  const index = Math.max(
    0,
    items.findIndex(({ position }) => position.id === chosen),
  );
  const item = items[index];

  function open(next: number) {
    const target = items[Math.min(Math.max(next, 0), items.length - 1)];
    if (target) setParams({ position: target.position.id }, { replace: true, preventScrollReset: true });
    if (next >= items.length - 5 && pages.hasNextPage && !pages.isFetchingNextPage)
      void pages.fetchNextPage();
  }
  if (!item) return <NothingLeft queue={queue} />;
  return (
    <div className="mt-4 gap-8 lg:grid lg:grid-cols-[20rem_1fr]">
      <QueueList queue={queue} index={index} selected={selected} onSelect={setSelected} onOpen={open} />
      <ReviewItem
        key={item.position.id}
        email={email}
        position={item.position}
        entry={queue.current(item)}
        others={items.map(({ position }) => position)}
        place={`${index + 1} of ${count(items.length)}${pages.hasNextPage ? " or more" : ""}`}
        onSaved={(entry) => queue.record([entry])}
        onNext={() => open(index + 1)}
        onPrevious={() => open(index - 1)}
      />
    </div>
  );
}

function NothingLeft({ queue: { pages, total } }: { queue: ReviewQueue }) {
  if (pages.hasNextPage) {
    return (
      <Button className="mt-6" pending={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
        Show older positions
      </Button>
    );
  }
  return (
    <div className="mt-6 max-w-prose">
      <p className="font-semibold">
        {total > 0 ? "Every closed position is reviewed." : "There are no closed positions yet."}
      </p>
      <p className="mt-1 text-ink-2">
        {total > 0
          ? "New positions appear here when you add trades."
          : "Add trades, and mark each position with a setup, mistakes and a rating. It takes a few seconds each."}
      </p>
      <ButtonLink to="/dashboard?panel=0" variant="secondary" className="mt-4">
        Add Trades
      </ButtonLink>
    </div>
  );
}

type QueueListProps = {
  queue: ReviewQueue;
  index: number;
  selected: ReadonlySet<string>;
  onSelect: (selected: ReadonlySet<string>) => void;
  onOpen: (index: number) => void;
};

/** List of the queue, from 64 rem on and in the bulk edit on a phone. */
function QueueList({ queue, index, selected, onSelect, onOpen }: QueueListProps) {
  const { items, pages } = queue;
  const positions = items.map(({ position }) => position).filter(({ id }) => selected.has(id));
  function toggle(id: string) {
    const next = new Set(selected);
    if (!next.delete(id)) next.add(id);
    onSelect(next);
  }
  const all = items.length > 0 && items.every(({ position }) => selected.has(position.id));
  return (
    <details className="mb-4 lg:mb-0" open={globalThis.matchMedia?.("(min-width: 64rem)").matches}>
      <summary className="min-h-11 cursor-pointer py-2.5 font-semibold text-ui">
        {plural(items.length, "position")}
      </summary>
      <label className="flex min-h-11 items-center gap-3 border-line border-b text-ui">
        <input
          type="checkbox"
          checked={all}
          className="size-5 accent-brand"
          onChange={() => onSelect(new Set(all ? [] : items.map(({ position }) => position.id)))}
        />
        Select all
      </label>
      <BulkBar
        positions={positions}
        onEdited={(entries) => {
          queue.record(entries);
          onSelect(new Set());
        }}
        onUndone={(entries) => queue.record(entries)}
      />
      <ul className="max-h-[70dvh] overflow-y-auto" aria-label="Positions to review">
        {items.map((item, place) => (
          <li
            key={item.position.id}
            className={`flex items-start gap-3 border-line border-b py-2 ${place === index ? "bg-brand-soft" : ""}`}
          >
            <input
              type="checkbox"
              aria-label={`Select ${tradeName(item.position)}, ${date(item.position.closedAt ?? item.position.openedAt)}`}
              checked={selected.has(item.position.id)}
              onChange={() => toggle(item.position.id)}
              className="mt-1 ml-1 size-5 shrink-0 accent-brand"
            />
            <button
              type="button"
              aria-current={place === index ? "true" : undefined}
              onClick={() => onOpen(place)}
              className="min-w-0 flex-1 text-left"
            >
              <span className="block font-semibold text-data">{tradeName(item.position)}</span>
              <span className="flex flex-wrap justify-between gap-x-3 text-data text-ink-2">
                {date(item.position.closedAt ?? item.position.openedAt)}
                {queue.current(item)?.reviewed ? <span>Reviewed</span> : <Result value={item.position.net} />}
              </span>
            </button>
          </li>
        ))}
      </ul>
      {pages.hasNextPage && (
        <Button
          variant="secondary"
          size="sm"
          className="mt-3"
          pending={pages.isFetchingNextPage}
          onClick={() => void pages.fetchNextPage()}
        >
          Show more
        </Button>
      )}
    </details>
  );
}
