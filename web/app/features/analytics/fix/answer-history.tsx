import { useState } from "react";
import { FRESH } from "#features/analytics/analytics-api.ts";
import { adjustmentText } from "#features/analytics/fix/adjustment-text.ts";
import { type AnswerChange, groupByChange } from "#features/analytics/fix/answer-changes.ts";
import type { Answers } from "#features/analytics/fix/use-answers.ts";
import { useViewer } from "#features/analytics/viewer.ts";
import { $api } from "#lib/api-query.ts";
import { count, dateTime, plural } from "#lib/format.ts";
import { Button } from "#ui/button.tsx";

/** Changes listed at first. */
const FIRST_CHANGES = 10;
/** Entries of a change listed at first. */
const FIRST_ENTRIES = 3;

/** History of answers and entered corporate actions, newest first, each undone with one press. */
export function AnswerHistory({ answers }: { answers: Answers | undefined }) {
  const viewer = useViewer();
  const [shown, setShown] = useState(FIRST_CHANGES);
  const { data } = $api.useQuery("get", "/analytics/adjustments", { ...viewer.requestInit }, FRESH);
  const changes = groupByChange(data?.adjustments ?? []);
  if (changes.length === 0) return null;
  return (
    <section aria-labelledby="answer-history" className="mt-9">
      <h2 id="answer-history" tabIndex={-1} className="text-h4 outline-none">
        {`Answered, ${count(data?.adjustments.length ?? 0)}`}
      </h2>
      <ul className="mt-2 border-line border-t text-data">
        {changes.slice(0, shown).map((change) => (
          <ChangeItem key={change.firstId} change={change} answers={answers} />
        ))}
      </ul>
      {changes.length > shown && (
        <Button variant="quiet" size="sm" onClick={() => setShown(changes.length)} data-print="no">
          Show all {count(changes.length)} changes
        </Button>
      )}
    </section>
  );
}

function ChangeItem({ change, answers }: { change: AnswerChange; answers: Answers | undefined }) {
  const [open, setOpen] = useState(false);
  const { firstId, lastId, addedAt, entries } = change;
  const visible = open ? entries : entries.slice(0, FIRST_ENTRIES);
  const title = entries.length === 1 ? adjustmentText(entries[0]) : plural(entries.length, "answer");
  return (
    <li className="flex flex-wrap items-start justify-between gap-x-4 border-line border-b py-2">
      <div className="min-w-0 flex-1 basis-64">
        <p className="figures text-floor text-ink-2">{dateTime(addedAt)}</p>
        {visible.map((entry) => (
          <p key={entry.id} className="wrap-anywhere">
            {adjustmentText(entry)}
          </p>
        ))}
        {entries.length > FIRST_ENTRIES && (
          <button type="button" onClick={() => setOpen(!open)} aria-expanded={open} className="link min-h-8">
            {open ? "Show fewer" : `Show all ${count(entries.length)}`}
          </button>
        )}
      </div>
      {answers && (
        <Button
          variant="quiet"
          size="sm"
          pending={answers.busy === firstId}
          onClick={() => void answers.undo(firstId, lastId)}
          className="text-data! pointer-coarse:h-11"
          data-print="no"
        >
          <span className="sr-only">{`Undo: ${title}`}</span>
          <span aria-hidden="true">Undo</span>
        </Button>
      )}
    </li>
  );
}
