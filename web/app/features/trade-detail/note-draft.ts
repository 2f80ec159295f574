import { isNoteKey, type NoteDraft } from "#features/trade-detail/notes.ts";
import { tabStorage } from "#lib/storage.ts";

/** Returns the unsaved notes of this account on a trade, kept in this tab; empty if there are none. */
export function readDraft(email: string, id: string): NoteDraft {
  const draft: NoteDraft = {};
  try {
    const stored = JSON.parse(tabStorage.get(storageKey(id)) ?? "{}");
    if (stored.email !== email) return draft;
    for (const [key, text] of Object.entries(stored.draft)) {
      if (isNoteKey(key) && typeof text === "string") draft[key] = text;
    }
  } catch {
    // The value is not valid: there is no draft.
  }
  return draft;
}

export function saveDraft(email: string, id: string, draft: NoteDraft): void {
  tabStorage.set(storageKey(id), serialize(email, draft));
}

/** Deletes the draft, unless it has changed since. */
export function deleteDraft(email: string, id: string, draft: NoteDraft): void {
  if (tabStorage.get(storageKey(id)) === serialize(email, draft)) tabStorage.remove(storageKey(id));
}

function storageKey(id: string): string {
  return `notes ${id}`;
}

function serialize(email: string, draft: NoteDraft): string {
  return JSON.stringify({ email, draft });
}
