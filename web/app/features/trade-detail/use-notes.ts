import { useEffect, useRef, useState } from "react";
import { deleteDraft, readDraft, saveDraft } from "#features/trade-detail/note-draft.ts";
import { changedNotes, type NoteKey, noteError } from "#features/trade-detail/notes.ts";
import { editTrade, type Trade } from "#features/trade-detail/trade-requests.ts";
import type { Schemas } from "#lib/api.ts";
import { tradeName } from "#lib/contract.ts";
import { announce } from "#lib/notices.ts";
import { errorMessage } from "#lib/problem.ts";

export type Notes = ReturnType<typeof useNotes>;

/**
 * State of the notes of a trade. Notes are saved when the sheet closes, in whatever way; notes that could not be saved
 * stay in a draft until the trade is opened again.
 */
export function useNotes(
  email: string,
  id: string,
  trade: Trade | undefined,
  onSaved: (changed: Schemas["ChangedTrade"]) => void,
) {
  const [draft, setDraft] = useState(() => readDraft(email, id));
  const [saving, setSaving] = useState(false);
  const [failure, setFailure] = useState(() => noteError(draft) ?? "");
  const change = trade && changedNotes(trade, draft);

  /** Saves the draft. Returns true if nothing is left to save. */
  async function save(): Promise<boolean> {
    if (!trade || !change) return true;
    const invalid = noteError(draft);
    setFailure(invalid ?? "");
    if (invalid) return false;
    setSaving(true);
    try {
      const { data, error } = await editTrade(id, change);
      if (!data) throw error;
      deleteDraft(email, id, draft);
      // Text typed in the meantime stays in the draft.
      setDraft((now) => (now === draft ? {} : now));
      onSaved(data);
      return true;
    } catch (error) {
      setFailure(errorMessage(error));
      return false;
    } finally {
      setSaving(false);
    }
  }

  async function saveOrWarn() {
    if ((await save()) || !trade) return;
    announce({
      tone: "warn",
      title: `Your notes on ${tradeName(trade)} could not be saved.`,
      text: "Open the trade again to correct and save them. They stay in this tab until then.",
    });
  }

  // Back closes the sheet without calling `save`.
  const latestSave = useRef(saveOrWarn);
  latestSave.current = saveOrWarn;
  useEffect(() => () => void latestSave.current(), []);

  function write(key: NoteKey, text: string) {
    const next = { ...draft, [key]: text };
    setDraft(next);
    if (trade && changedNotes(trade, next)) saveDraft(email, id, next);
    else deleteDraft(email, id, draft);
  }

  return {
    text: (key: NoteKey) => draft[key] ?? String(trade?.[key] ?? ""),
    write,
    changed: change !== undefined,
    saving,
    failure,
    save,
    discard() {
      deleteDraft(email, id, draft);
      setDraft({});
      setFailure("");
    },
  };
}
