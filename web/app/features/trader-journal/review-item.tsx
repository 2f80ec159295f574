import { useState } from "react";
import { Link } from "react-router";
import { EntryFields, MISTAKE_KEYS, SETUP_KEYS } from "#features/trader-journal/entry-fields.tsx";
import {
  type EntryContent,
  hasLabel,
  type JournalEntry,
  uniteLabels,
  withoutLabel,
} from "#features/trader-journal/journal-entry.ts";
import { positionSubject } from "#features/trader-journal/journal-subject.ts";
import { type Position, positionFacts } from "#features/trader-journal/position-facts.ts";
import { SaveConflicts, SaveStatus } from "#features/trader-journal/save-status.tsx";
import { hasSentPicture } from "#features/trader-journal/screenshots/entry-uploads.ts";
import { ScreenshotSection } from "#features/trader-journal/screenshots/screenshot-section.tsx";
import { useSuggestions } from "#features/trader-journal/use-labels.ts";
import { suggestedContent, useSubjectEntry } from "#features/trader-journal/use-subject-entry.ts";
import { brokerAccountName } from "#lib/books.ts";
import { tradeName } from "#lib/contract.ts";
import { count, date, dateTime, istDate, time } from "#lib/format.ts";
import { useShortcuts } from "#lib/use-shortcuts.ts";
import { Button } from "#ui/button.tsx";
import { LoadFailure } from "#ui/load-failure.tsx";
import { Result } from "#ui/money.tsx";
import { TableSkeleton } from "#ui/skeleton.tsx";

type ReviewItemProps = {
  email: string;
  position: Position;
  /** Entry without notes; undefined if the position has none. */
  entry: JournalEntry | undefined;
  /** Positions of the log that facts compare with. */
  others: readonly Position[];
  place: string;
  onSaved: (entry: JournalEntry) => void;
  onNext: () => void;
  onPrevious: () => void;
};

/** Position of the queue: its facts and the fields of its entry, by keyboard or by touch. */
export function ReviewItem({ email, position, entry, onSaved, ...rest }: ReviewItemProps) {
  const subject = positionSubject(position);
  // Read once: saving the first entry must not load it again.
  const [hasEntry] = useState(() => entry !== undefined || hasSentPicture(email, subject));
  const { query, editor } = useSubjectEntry({
    email,
    subject,
    suggested: suggestedContent(position),
    hasEntry,
    onSaved,
  });
  if (query.isError) {
    return <LoadFailure error={query.error} busy={query.isFetching} onRetry={() => void query.refetch()} />;
  }
  if (!editor) return <TableSkeleton label="Loading the entry" columns={3} />;
  const { saver, state, content, edit, begin } = editor;
  return (
    <ReviewFields
      {...rest}
      position={position}
      content={content}
      onEdit={edit}
      status={<SaveStatus state={state} />}
      conflicts={<SaveConflicts saver={saver} state={state} />}
      screenshots={<ScreenshotSection key={subject.key} saver={saver} onBegin={begin} />}
    />
  );
}

type ReviewFieldsProps = Pick<ReviewItemProps, "position" | "others" | "place" | "onNext" | "onPrevious"> & {
  content: EntryContent;
  onEdit: (changed: Partial<EntryContent>) => void;
  status: React.ReactNode;
  conflicts: React.ReactNode;
  screenshots: React.ReactNode;
};

function ReviewFields({
  position,
  others,
  place,
  content,
  onEdit,
  onNext,
  onPrevious,
  status,
  conflicts,
  screenshots,
}: ReviewFieldsProps) {
  const [setups, mistakes] = [useSuggestions("setup"), useSuggestions("mistake")];
  function finish() {
    onEdit({ reviewed: true });
    onNext();
  }
  const toggle = (name: string) =>
    hasLabel(content.mistakes, name)
      ? withoutLabel(content.mistakes, name)
      : uniteLabels(content.mistakes, [name]);
  useShortcuts({
    Enter: finish,
    j: onNext,
    k: onPrevious,
    0: () => onEdit({ setup: "" }),
    ...Object.fromEntries([1, 2, 3, 4, 5].map((rating) => [`r ${rating}`, () => onEdit({ rating })])),
    ...Object.fromEntries(
      SETUP_KEYS.map((key, index) => [key, () => setups[index] && onEdit({ setup: setups[index] })]),
    ),
    ...Object.fromEntries(
      MISTAKE_KEYS.map((key, index) => [
        key,
        () => mistakes[index] && onEdit({ mistakes: toggle(mistakes[index]) }),
      ]),
    ),
  });
  const facts = positionFacts(position, others);
  return (
    <article aria-label={tradeName(position)}>
      <p className="text-data text-ink-2">{place}</p>
      <div className="mt-1 flex flex-wrap items-baseline gap-x-3">
        <h2 className="text-h4">{tradeName(position)}</h2>
        <Result value={position.net} />
      </div>
      <p className="mt-1 text-data text-ink-2">{factsLine(position)}</p>
      {facts.length > 0 && (
        <ul aria-label="Facts from the log" className="mt-2 flex flex-wrap gap-2">
          {facts.map((fact) => (
            <li
              key={fact}
              className="rounded-tag border border-line-strong border-dashed px-2 text-data text-ink-2"
            >
              {fact}
            </li>
          ))}
        </ul>
      )}
      <div className="mt-4 border-line border-t">
        {conflicts}
        <EntryFields content={content} onEdit={onEdit} withKeys />
        {screenshots}
      </div>
      <div
        data-sticky-bar
        className="sticky bottom-0 flex flex-wrap items-center gap-3 border-line border-t bg-bg py-3 max-sm:bottom-16"
      >
        <Button onClick={finish} aria-keyshortcuts="Enter" className="max-sm:flex-1">
          Done, next
        </Button>
        <Button variant="secondary" onClick={onNext} aria-keyshortcuts="j">
          Skip
        </Button>
        <Button variant="quiet" onClick={onPrevious} aria-keyshortcuts="k">
          Back
        </Button>
        <Link
          to={`/journal/${istDate(position.closedAt ?? position.openedAt)}`}
          className="flex min-h-11 items-center text-brand text-ui underline"
        >
          Day
        </Link>
        <span className="ml-auto">{status}</span>
      </div>
    </article>
  );
}

function factsLine(position: Position): string {
  const { side, quantity, openedAt, closedAt, timePrecision, r } = position;
  const span =
    timePrecision === "day" || !closedAt
      ? date(openedAt)
      : `${dateTime(openedAt)} to ${istDate(openedAt) === istDate(closedAt) ? time(closedAt) : dateTime(closedAt)}`;
  const parts = [
    `${side === "long" ? "Long" : "Short"} ${count(quantity)}`,
    brokerAccountName(position),
    span,
  ];
  if (r !== undefined) parts.push(`${count(Math.round(r * 100) / 100)}R`);
  return `${parts.join(" · ")} · after charges`;
}
