import { useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import {
  contentOf,
  EMPTY_CONTENT,
  type EntryContent,
  isSameContent,
  type JournalEntry,
  type JournalSubject,
} from "#features/trader-journal/journal-entry.ts";
import { refreshJournal } from "#features/trader-journal/journal-queries.ts";
import type { Position } from "#features/trader-journal/position-facts.ts";
import { useEntrySaver } from "#features/trader-journal/use-entry-saver.ts";
import { $api } from "#lib/api-query.ts";

type Options = {
  email: string;
  subject: JournalSubject;
  /** Content that a new entry begins with. */
  suggested?: EntryContent;
  /** False if the subject is known to have no entry, which saves a request. */
  hasEntry?: boolean;
  onSaved?: (entry: JournalEntry) => void;
};

/** Loads the entry of a subject and saves its edits. `editor` is undefined until the entry has loaded. */
export function useSubjectEntry({
  email,
  subject,
  suggested = EMPTY_CONTENT,
  hasEntry = true,
  onSaved,
}: Options) {
  const client = useQueryClient();
  const query = $api.useQuery(
    "post",
    "/journal/entries/lookup",
    { body: { kind: subject.kind, keys: [subject.key], withoutText: false } },
    // Later versions come from the saver, so a reconnected browser must not load the entry again.
    { enabled: hasEntry, staleTime: 0, gcTime: 0, refetchOnReconnect: false },
  );
  const entry = hasEntry ? query.data && (query.data.entries[0] ?? null) : null;
  const record = useCallback(
    (saved: JournalEntry) => {
      onSaved?.(saved);
      void refreshJournal(client);
    },
    [client, onSaved],
  );
  const opened = useEntrySaver({ email, subject, entry, onSaved: record });
  if (!opened) return { query, editor: undefined };
  const { saver, state } = opened;
  const isNew = state.version === 0 && state.status === "saved";
  const content = isNew ? suggested : state.content;
  const edit = (changed: Partial<EntryContent>) => saver.edit(isNew ? { ...content, ...changed } : changed);
  /** Saves the suggested content with the first screenshot, which creates the entry. */
  const begin = () => {
    if (isNew && !isSameContent(content, EMPTY_CONTENT)) edit({});
  };
  return { query, editor: { saver, state, content, edit, begin } };
}

/** Content that an entry begins with: the setup and the psychology that the trader wrote beside the first trade. */
export function suggestedContent({ setup = "", psychology = "" }: Position): EntryContent {
  const label = (text: string) => (text.includes(",") || text.includes("\n") || text.length > 40 ? "" : text);
  return contentOf({ ...EMPTY_CONTENT, setup: label(setup), emotion: label(psychology) });
}
