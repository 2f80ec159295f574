import { isNoteKey, type NoteDraft } from "#features/trade-detail/notes.ts";
import { perTab } from "#lib/storage.ts";

/** What this account wrote beside a trade in this tab and the server has not stored; an empty one where nothing is. */
export function readDraft(email: string, id: string): NoteDraft {
  const draft: NoteDraft = {};
  try {
    const kept = JSON.parse(perTab.get(nameOf(id)) ?? "{}");
    if (kept.email !== email) return draft;
    for (const [key, text] of Object.entries(kept.draft)) {
      if (isNoteKey(key) && typeof text === "string") draft[key] = text;
    }
  } catch {
    // Not ours: nothing of it can be shown.
  }
  return draft;
}

export function keepDraft(email: string, id: string, draft: NoteDraft): void {
  perTab.set(nameOf(id), textOf(email, draft));
}

/** What was typed since `draft` stays. */
export function forgetDraft(email: string, id: string, draft: NoteDraft): void {
  if (perTab.get(nameOf(id)) === textOf(email, draft)) perTab.remove(nameOf(id));
}

function nameOf(id: string): string {
  return `notes ${id}`;
}

function textOf(email: string, draft: NoteDraft): string {
  return JSON.stringify({ email, draft });
}
