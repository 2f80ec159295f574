import { type EntryFields, isEntryField, NEW_ENTRY } from "#features/entry/entry-schema.ts";
import { perTab } from "#lib/storage.ts";

/**
 * One attempt to store an entry, over all its retries: the same keys, so that the server takes what it has stored
 * before for done. It lives until the entry is stored whole.
 */
export type Attempt = {
  mode: "replace" | "append";
  /** Ties the two legs. */
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

/** What this account was writing in this tab. */
export function readDraft(email: string): Draft | undefined {
  let stored: unknown;
  try {
    stored = JSON.parse(perTab.get(KEY) ?? "null");
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

export function keepDraft(email: string, draft: Draft): void {
  perTab.set(KEY, JSON.stringify({ email, ...draft }));
}

export function forgetDraft(): void {
  perTab.remove(KEY);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function isAttempt(value: unknown): value is Attempt {
  if (!isRecord(value) || (value.mode !== "replace" && value.mode !== "append")) return false;
  return [value.pairId, value.buyKey, value.sellKey].every((id) => typeof id === "string");
}
