import type { Entry } from "#features/journal/entries.ts";
import { type EntryField, isEntryField, type ValidEntry } from "#features/journal/entry-schema.ts";
import type { EntryType } from "#features/journal/entry-types.ts";
import { calculateOutcome } from "#features/journal/outcome.ts";
import { api, isProblem, type Schemas } from "#lib/api.ts";
import { fromTimeField } from "#lib/india-time.ts";
import { fieldErrors } from "#lib/problem.ts";

export type NewEntry = Schemas["NewEntry"];

export type SaveResult =
  | { kind: "saved"; entry: Entry }
  | { kind: "invalid"; fields: { field: EntryField; message: string }[] }
  | { kind: "failed"; message: string };

const NOT_SAVED = "Not saved. Try again.";
const LOCK_NAME = "journal-save";

export function newEntry(type: EntryType, entry: ValidEntry): NewEntry {
  return {
    type,
    symbol: entry.symbol,
    quantity: Number(entry.quantity),
    buyPrice: Number(entry.buyPrice),
    sellPrice: Number(entry.sellPrice),
    targetPrice: Number(entry.targetPrice),
    stopLoss: Number(entry.stopLoss),
    buyDateTime: fromTimeField(entry.buyDateTime),
    sellDateTime: fromTimeField(entry.sellDateTime),
    ...calculateOutcome(entry),
  };
}

let attempt: { body: string; key: string } | undefined;

/** Returns the idempotency key: the same for a retry of the same trade, so that it is stored once. */
function idempotencyKey(body: NewEntry): string {
  const text = JSON.stringify(body);
  if (attempt?.body !== text) attempt = { body: text, key: crypto.randomUUID() };
  return attempt.key;
}

/**
 * Runs one save at a time across all tabs. The first response sets the cookie of the journal; a parallel request
 * without it would create a second journal.
 */
async function withLock<T>(task: () => Promise<T>): Promise<T> {
  return navigator.locks ? await navigator.locks.request(LOCK_NAME, task) : await task();
}

export async function saveEntry(entry: NewEntry): Promise<SaveResult> {
  const key = idempotencyKey(entry);
  try {
    const { data, error, response } = await withLock(() =>
      api.POST("/trades", { body: entry, params: { header: { "Idempotency-Key": key } } }),
    );
    if (data) {
      attempt = undefined;
      return { kind: "saved", entry: data.data };
    }
    console.error(`The trade was not saved: ${response.status}.`, error);
    return toFailure(error);
  } catch (error) {
    console.error("The trade was not saved.", error);
    return { kind: "failed", message: NOT_SAVED };
  }
}

function toFailure(error: unknown): SaveResult {
  if (!isProblem(error)) return { kind: "failed", message: NOT_SAVED };
  if (error.code === "journal_full") return { kind: "failed", message: `Not saved. ${error.detail}` };
  const fields = fieldErrors(error).flatMap(({ field, message }) =>
    isEntryField(field) ? [{ field, message }] : [],
  );
  return fields.length > 0 ? { kind: "invalid", fields } : { kind: "failed", message: NOT_SAVED };
}
