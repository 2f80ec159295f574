import type { SaveResult } from "#features/trader-journal/entry-saver.ts";
import type { EntryContent, JournalSubject } from "#features/trader-journal/journal-entry.ts";
import { api } from "#lib/api.ts";
import { failureMessage, NO_ANSWER } from "#lib/problem.ts";

/** Sends an entry; `version` is the version that the edit is based on. */
export async function saveEntry(
  subject: JournalSubject,
  content: EntryContent,
  version: number,
): Promise<SaveResult> {
  try {
    const body = { ...subject, ...content, version };
    const { data, error, response } = await api.PUT("/journal/entries", { body });
    if (data) return { kind: "saved", entry: data };
    if ("stored" in error && error.stored) return { kind: "conflict", stored: error.stored };
    const message = failureMessage(response, error);
    const isFinal = [404, 409, 413, 422].includes(response.status);
    return { kind: isFinal ? "rejected" : "failed", message };
  } catch {
    return { kind: "failed", message: NO_ANSWER };
  }
}
