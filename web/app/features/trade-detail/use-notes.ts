import { useEffect, useRef, useState } from "react";
import { brokenNote, changedNotes, type NoteDraft, type NoteKey } from "#features/trade-detail/notes.ts";
import { editTrade, type Trade } from "#features/trade-detail/trade-requests.ts";
import type { Schemas } from "#lib/api.ts";
import { errorLine } from "#lib/problem.ts";

export type Notes = ReturnType<typeof useNotes>;

/** What is written beside a trade, edited where it stands. Whichever way one leaves, nothing that was typed is lost. */
export function useNotes(trade: Trade | undefined, onSaved: (changed: Schemas["ChangedTrade"]) => void) {
  const [draft, setDraft] = useState<NoteDraft>({});
  const [saving, setSaving] = useState(false);
  const [failure, setFailure] = useState("");
  const change = trade && changedNotes(trade, draft);

  /** Whether everything is stored. */
  async function save(): Promise<boolean> {
    if (!trade || !change) return true;
    const broken = brokenNote(draft);
    setFailure(broken ?? "");
    if (broken) return false;
    setSaving(true);
    try {
      const { data, error } = await editTrade(trade._id, change);
      if (!data) throw error;
      // What was typed meanwhile stays a draft.
      setDraft((now) => (now === draft ? {} : now));
      onSaved(data);
      return true;
    } catch (error) {
      setFailure(errorLine(error));
      return false;
    } finally {
      setSaving(false);
    }
  }

  // Back takes the sheet away without asking.
  const leave = useRef(save);
  leave.current = save;
  useEffect(() => () => void leave.current(), []);

  return {
    text: (key: NoteKey) => draft[key] ?? String(trade?.[key] ?? ""),
    write: (key: NoteKey, text: string) => setDraft((now) => ({ ...now, [key]: text })),
    changed: change !== undefined,
    saving,
    failure,
    save,
    discard() {
      setDraft({});
      setFailure("");
    },
  };
}
