import { type EntryFields, isEntryField, NEW_ENTRY } from "#features/entry/entry-schema.ts";
import { tabStorage } from "#lib/storage.ts";

/**
 * Attempt to save an entry. All its retries send the same idempotency keys, so that the server stores nothing twice. It
 * ends when the whole entry is saved.
 */
export type Attempt = {
  mode: "replace" | "append";
  /** Links the two legs. */
  pairId: string;
  buyKey: string;
  sellKey: string;
};

export type Draft = { fields: EntryFields; attempt: Attempt | undefined };

const KEY = "entry";

export function newAttempt(mode: Attempt["mode"]): Attempt {
  return {
    mode,
    pairId: crypto.randomUUID(),
    buyKey: crypto.randomUUID(),
    sellKey: crypto.randomUUID(),
  };
}

/** Returns the draft of this account in this tab. */
export function readDraft(email: string): Draft | undefined {
  let stored: unknown;
  try {
    stored = JSON.parse(tabStorage.get(KEY) ?? "null");
  } catch {
    return undefined;
  }
  if (!isRecord(stored) || stored.email !== email || !isRecord(stored.fields)) return undefined;
  const fields = { ...NEW_ENTRY };
  for (const [name, value] of Object.entries(stored.fields)) {
    if (isEntryField(name) && typeof value === "string") fields[name] = value;
  }
  return { fields, attempt: isAttempt(stored.attempt) ? stored.attempt : undefined };
}

export function saveDraft(email: string, draft: Draft): void {
  tabStorage.set(KEY, JSON.stringify({ email, ...draft }));
}

export function deleteDraft(): void {
  tabStorage.remove(KEY);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function isAttempt(value: unknown): value is Attempt {
  if (!isRecord(value) || (value.mode !== "replace" && value.mode !== "append")) return false;
  return [value.pairId, value.buyKey, value.sellKey].every((id) => typeof id === "string");
}
