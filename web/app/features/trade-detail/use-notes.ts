import { useEffect, useRef, useState } from "react";
import { forgetDraft, keepDraft, readDraft } from "#features/trade-detail/note-draft.ts";
import { brokenNote, changedNotes, type NoteKey } from "#features/trade-detail/notes.ts";
import { editTrade, type Trade } from "#features/trade-detail/trade-requests.ts";
import type { Schemas } from "#lib/api.ts";
import { tradeName } from "#lib/contract.ts";
import { announce } from "#lib/notices.ts";
import { errorLine } from "#lib/problem.ts";

export type Notes = ReturnType<typeof useNotes>;

/**
 * What is written beside a trade, edited where it stands. Whichever way one leaves, nothing that was typed is lost: what
 * could not be stored is there again when the trade is opened.
 */
export function useNotes(
  email: string,
  id: string,
  trade: Trade | undefined,
  onSaved: (changed: Schemas["ChangedTrade"]) => void,
) {
  const [draft, setDraft] = useState(() => readDraft(email, id));
  const [saving, setSaving] = useState(false);
  const [failure, setFailure] = useState(() => brokenNote(draft) ?? "");
  const change = trade && changedNotes(trade, draft);

  /** Whether everything is stored. */
  async function save(): Promise<boolean> {
    if (!trade || !change) return true;
    const broken = brokenNote(draft);
    setFailure(broken ?? "");
    if (broken) return false;
    setSaving(true);
    try {
      const { data, error } = await editTrade(id, change);
      if (!data) throw error;
      forgetDraft(email, id, draft);
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

  async function saveOrTell() {
    if ((await save()) || !trade) return;
    announce({
      tone: "warn",
      title: `Your notes on ${tradeName(trade)} could not be saved.`,
      text: "Open the trade again to correct and save them: this tab keeps them until then.",
    });
  }

  // Back takes the sheet away without asking.
  const leave = useRef(saveOrTell);
  leave.current = saveOrTell;
  useEffect(() => () => void leave.current(), []);

  function write(key: NoteKey, text: string) {
    const next = { ...draft, [key]: text };
    setDraft(next);
    if (trade && changedNotes(trade, next)) keepDraft(email, id, next);
    else forgetDraft(email, id, draft);
  }

  return {
    text: (key: NoteKey) => draft[key] ?? String(trade?.[key] ?? ""),
    write,
    changed: change !== undefined,
    saving,
    failure,
    save,
    discard() {
      forgetDraft(email, id, draft);
      setDraft({});
      setFailure("");
    },
  };
}
