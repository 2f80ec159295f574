import { useEffect, useState } from "react";
import { browserDrafts, tabId } from "#features/trader-journal/draft-store.ts";
import { EntrySaver, type SaverState } from "#features/trader-journal/entry-saver.ts";
import type { JournalEntry, JournalSubject } from "#features/trader-journal/journal-entry.ts";
import { saveEntry } from "#features/trader-journal/save-entry.ts";

type Options = {
  email: string;
  subject: JournalSubject;
  /** Stored entry; null if there is none, undefined while it loads. */
  entry: JournalEntry | null | undefined;
  onSaved: (entry: JournalEntry) => void;
};

/** Returns a saver for the entry of a subject and its state, as soon as the entry has loaded. */
export function useEntrySaver({ email, subject, entry, onSaved }: Options) {
  const [state, setState] = useState<SaverState>();
  const [saver, setSaver] = useState<EntrySaver>();
  const isLoaded = entry !== undefined;

  // biome-ignore lint/correctness/useExhaustiveDependencies: later versions of the entry come from the saver itself
  useEffect(() => {
    if (entry === undefined) return undefined;
    const created = new EntrySaver({
      email,
      tab: tabId(),
      subject,
      entry,
      drafts: browserDrafts,
      send: (content, version) => saveEntry(subject, content, version),
      onChange: setState,
      onSaved,
    });
    setState(created.state);
    setSaver(created);
    void created.restore();

    const flush = () => void created.flush();
    const flushHidden = () => document.visibilityState === "hidden" && flush();
    window.addEventListener("online", flush);
    document.addEventListener("visibilitychange", flushHidden);
    return () => {
      window.removeEventListener("online", flush);
      document.removeEventListener("visibilitychange", flushHidden);
      flush();
      created.stop();
    };
  }, [email, subject.kind, subject.key, isLoaded]);

  return saver && state ? { saver, state } : undefined;
}
