import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { JournalEntry } from "#features/trader-journal/journal-entry.ts";
import { refreshJournal } from "#features/trader-journal/journal-queries.ts";
import { positionSubject } from "#features/trader-journal/journal-subject.ts";
import { NewLabel } from "#features/trader-journal/label-fields.tsx";
import type { Position } from "#features/trader-journal/position-facts.ts";
import { useSuggestions } from "#features/trader-journal/use-labels.ts";
import { api, type Schemas } from "#lib/api.ts";
import { $api } from "#lib/api-query.ts";
import { dateTime, plural } from "#lib/format.ts";
import { failureMessage, NO_ANSWER } from "#lib/problem.ts";
import { Banner } from "#ui/banner.tsx";
import { Button } from "#ui/button.tsx";

/** Maximum number of entries in one edit. */
const MAX_ENTRIES = 500;

type BulkBarProps = {
  positions: Position[];
  onEdited: (entries: JournalEntry[]) => void;
  onUndone: (entries: JournalEntry[]) => void;
};

type Done = { changeId: string; text: string };

/** Earlier edits that can be undone. */
function EarlierEdits({ pending, onUndo }: { pending: boolean; onUndo: (changeId: string) => void }) {
  const { data } = $api.useQuery("get", "/journal/changes", undefined, { staleTime: 0 });
  if (!data?.changes.length) return null;
  return (
    <details className="border-line border-b">
      <summary className="min-h-11 cursor-pointer py-2.5 text-data text-ink-2">Earlier edits</summary>
      <ul className="pb-2">
        {data.changes.map(({ id, madeAt, entries }) => (
          <li key={id} className="flex items-center justify-between gap-3 text-data">
            {`${dateTime(madeAt)}, ${plural(entries, "entry", "entries")}`}
            <Button size="sm" variant="quiet" pending={pending} onClick={() => onUndo(id)}>
              Undo<span className="sr-only"> the edit of {plural(entries, "entry", "entries")}</span>
            </Button>
          </li>
        ))}
      </ul>
    </details>
  );
}

/** Edits the entries of the selected positions at once; the edit can be undone. */
export function BulkBar({ positions, onEdited, onUndone }: BulkBarProps) {
  const client = useQueryClient();
  const [done, setDone] = useState<Done>();
  const [failure, setFailure] = useState("");
  const [pending, setPending] = useState(false);
  const [tags, mistakes] = [useSuggestions("tag"), useSuggestions("mistake")];

  async function edit(changes: Omit<Schemas["JournalEdit"], "subjects">, what: string) {
    const subjects = positions.slice(0, MAX_ENTRIES).map(positionSubject);
    setPending(true);
    try {
      const { data, error, response } = await api.POST("/journal/entries/edit", {
        body: { subjects, ...changes },
      });
      setFailure(data ? "" : failureMessage(response, error));
      if (data) {
        setDone({ changeId: data.changeId, text: `${plural(data.entries.length, "position")}: ${what}` });
        onEdited(data.entries);
        void refreshJournal(client);
      }
    } catch {
      setFailure(NO_ANSWER);
    }
    setPending(false);
  }
  async function undo(changeId: string) {
    setPending(true);
    try {
      const { data, error, response } = await api.POST("/journal/changes/{id}/undo", {
        params: { path: { id: changeId } },
      });
      setFailure(data ? "" : failureMessage(response, error));
      if (data) {
        setDone(undefined);
        onUndone(data.entries);
        void refreshJournal(client);
      }
    } catch {
      setFailure(NO_ANSWER);
    }
    setPending(false);
  }
  return (
    <>
      {positions.length > 0 && (
        <fieldset aria-label="Edit the selected positions" className="space-y-2 border-line border-b py-3">
          <p className="text-data text-ink-2">{plural(positions.length, "position")} selected</p>
          <div className="flex flex-wrap items-center gap-2">
            <span className="text-data">Tag</span>
            <NewLabel
              label="tag for the selected positions"
              suggestions={tags}
              onAdd={(tag) => void edit({ addTags: [tag] }, `tag ${tag} added`)}
            />
            <span className="text-data">Mistake</span>
            <NewLabel
              label="mistake for the selected positions"
              suggestions={mistakes}
              onAdd={(mistake) => void edit({ addMistakes: [mistake] }, `mistake ${mistake} added`)}
            />
          </div>
          <Button
            size="sm"
            variant="secondary"
            pending={pending}
            onClick={() => void edit({ reviewed: true }, "reviewed")}
          >
            Mark as reviewed
          </Button>
        </fieldset>
      )}
      {done && (
        <Banner
          tone="gain"
          role="status"
          className="my-3"
          title={done.text}
          actions={
            <Button size="sm" variant="secondary" pending={pending} onClick={() => void undo(done.changeId)}>
              Undo
            </Button>
          }
          onDismiss={() => setDone(undefined)}
        />
      )}
      <EarlierEdits pending={pending} onUndo={(changeId) => void undo(changeId)} />
      {failure && (
        <p role="alert" className="py-2 text-data text-loss">
          {failure}
        </p>
      )}
    </>
  );
}
