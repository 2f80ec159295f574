import type { Entry } from "#features/journal/entries.ts";
import { type CheckedEntry, type EntryField, isEntryField } from "#features/journal/entry-schema.ts";
import type { Kind } from "#features/journal/kinds.ts";
import { outcomeOf } from "#features/journal/outcome.ts";
import { api, isProblem, type Schemas } from "#lib/api.ts";
import { fromTimeField } from "#lib/india-time.ts";
import { refusedFields } from "#lib/problem.ts";

export type NewEntry = Schemas["NewEntry"];

export type Saved =
  | { kind: "saved"; entry: Entry }
  | { kind: "refused"; fields: { field: EntryField; message: string }[] }
  | { kind: "failed"; line: string };

export const NOT_SAVED = "Not saved. Try again.";
const LOCK = "journal-save";

export function newEntry(kind: Kind, entry: CheckedEntry): NewEntry {
  return {
    type: kind,
    symbol: entry.symbol,
    quantity: Number(entry.quantity),
    buyPrice: Number(entry.buyPrice),
    sellPrice: Number(entry.sellPrice),
    targetPrice: Number(entry.targetPrice),
    stopLoss: Number(entry.stopLoss),
    buyDateTime: fromTimeField(entry.buyDateTime),
    sellDateTime: fromTimeField(entry.sellDateTime),
    ...outcomeOf(entry),
  };
}

let attempt: { body: string; key: string } | undefined;

/** The same trade sent again, after an answer that never came, has the same key: it is stored once. */
function keyOf(body: NewEntry): string {
  const text = JSON.stringify(body);
  if (attempt?.body !== text) attempt = { body: text, key: crypto.randomUUID() };
  return attempt.key;
}

/**
 * One save at a time in all tabs: the first one brings the cookie that opens the journal, and the next must carry it,
 * or two tabs would make two journals.
 */
async function inTurn<T>(task: () => Promise<T>): Promise<T> {
  return navigator.locks ? await navigator.locks.request(LOCK, task) : await task();
}

export async function saveEntry(entry: NewEntry): Promise<Saved> {
  const key = keyOf(entry);
  try {
    const { data, error, response } = await inTurn(() =>
      api.POST("/trades", { body: entry, params: { header: { "Idempotency-Key": key } } }),
    );
    if (data) {
      attempt = undefined;
      return { kind: "saved", entry: data.data };
    }
    console.error(`The trade was not saved: ${response.status}.`, error);
    return notSaved(error);
  } catch (error) {
    console.error("The trade was not saved.", error);
    return { kind: "failed", line: NOT_SAVED };
  }
}

function notSaved(error: unknown): Saved {
  if (!isProblem(error)) return { kind: "failed", line: NOT_SAVED };
  if (error.code === "journal_full") return { kind: "failed", line: `Not saved. ${error.detail}` };
  const fields = refusedFields(error).flatMap(({ field, message }) =>
    isEntryField(field) ? [{ field, message }] : [],
  );
  return fields.length > 0 ? { kind: "refused", fields } : { kind: "failed", line: NOT_SAVED };
}
