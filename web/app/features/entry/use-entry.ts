import { standardSchemaResolver } from "@hookform/resolvers/standard-schema";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useForm } from "react-hook-form";
import { bookSize, bookSizesQuery, reloadBookSizes } from "#features/entry/book-sizes.ts";
import { type Attempt, deleteDraft, newAttempt, readDraft, saveDraft } from "#features/entry/entry-draft.ts";
import { bookNotEmptyFailure, type EntryFailure, notSentFailure } from "#features/entry/entry-failure.ts";
import { type EntryIntent, forcedMode } from "#features/entry/entry-intent.ts";
import {
  afterEntry,
  type Entry,
  type EntryFields,
  entrySchema,
  NEW_ENTRY,
} from "#features/entry/entry-schema.ts";
import { loadManualBook } from "#features/entry/manual-book.ts";
import { setReplaceNotice } from "#features/entry/replace-notice.ts";
import { type Saved, saveEntry } from "#features/entry/save-entry.ts";
import type { Book } from "#lib/books.ts";

/** Action after saving: leave the page, or enter another trade. */
export type AfterSave = "leave" | "another";

export type EntryOptions = {
  email: string;
  /** Book chosen outside the form, which then has no fields for it. */
  book?: Book | undefined;
  intent?: EntryIntent | undefined;
  onSaved: (book: Book, next: AfterSave) => void;
};

/** Manages the form of an entry, its draft and the attempts to save it. */
export function useEntry({ email, book, intent, onSaved }: EntryOptions) {
  const client = useQueryClient();
  const [draft] = useState(() => readDraft(email));
  const form = useForm<EntryFields, unknown, Entry>({
    resolver: standardSchemaResolver(entrySchema),
    defaultValues: { ...(draft?.fields ?? { ...NEW_ENTRY, ...loadManualBook() }), ...bookOf(book ?? intent) },
    shouldFocusError: false,
  });
  const attempt = useRef(draft?.attempt);
  const [sending, setSending] = useState<AfterSave>();
  const [failure, setFailure] = useState<EntryFailure>();
  const [tries, setTries] = useState(0);
  const [saved, setSaved] = useState<Entry>();

  useEffect(
    () =>
      form.subscribe({
        formState: { values: true },
        callback: ({ values }) => saveDraft(email, { fields: values, attempt: attempt.current }),
      }),
    [form, email],
  );

  // After the cleared fields have rendered, because `setFocus` needs the registered field.
  useEffect(() => {
    if (saved) form.setFocus("symbol");
  }, [saved, form]);

  async function modeFor(entry: Entry): Promise<Attempt["mode"]> {
    const forced = forcedMode(entry, intent);
    if (forced) return forced;
    const { books } = await client.fetchQuery({ ...bookSizesQuery(), staleTime: 0 });
    return bookSize(books, entry) === 0 ? "replace" : "append";
  }

  async function store(entry: Entry): Promise<Saved> {
    let mode: Attempt["mode"];
    try {
      mode = await modeFor(entry);
    } catch (error) {
      console.error(error);
      return { kind: "failed", failure: notSentFailure() };
    }
    // The book was empty at the first try and is not now: a replace would delete the trades added in between.
    if (attempt.current?.mode === "replace" && mode === "append")
      return { kind: "failed", failure: bookNotEmptyFailure() };
    if (attempt.current?.mode !== mode) attempt.current = newAttempt(mode);
    // Saved before the request, so that a retry after a reload uses the same keys.
    saveDraft(email, { fields: form.getValues(), attempt: attempt.current });
    return saveEntry(email, entry, attempt.current);
  }

  async function send(entry: Entry, next: AfterSave) {
    if (sending) return;
    setSending(next);
    setFailure(undefined);
    setSaved(undefined);
    const outcome = await store(entry);
    setSending(undefined);
    if (outcome.kind === "failed") return fail(outcome.failure);

    attempt.current = undefined;
    updateReplaceNotice(entry, outcome);
    void reloadBookSizes(client);
    if (next === "another") {
      form.reset(afterEntry(form.getValues()));
      saveDraft(email, { fields: form.getValues(), attempt: undefined });
      setSaved(entry);
    } else deleteDraft();
    onSaved(entry, next);
  }

  function fail(reason: EntryFailure) {
    if (reason.attemptOver) {
      attempt.current = undefined;
      saveDraft(email, { fields: form.getValues(), attempt: undefined });
    }
    for (const { field, message } of reason.fields) form.setError(field, { type: "server", message });
    if (reason.fields.length > 0) setTries((n) => n + 1);
    setFailure(reason);
  }

  function updateReplaceNotice({ broker, tradetype }: Entry, outcome: Exclude<Saved, { kind: "failed" }>) {
    if (outcome.kind === "added") return;
    const { changeId, removed, added } = outcome;
    setReplaceNotice(removed > 0 ? { email, broker, tradetype, changeId, removed, added } : undefined);
  }

  const submit = (next: AfterSave) =>
    form.handleSubmit(
      (entry) => send(entry, next),
      () => setTries((n) => n + 1),
    );

  return { form, submit, sending, failure, tries, saved };
}

function bookOf(book: Book | undefined) {
  return book && { broker: book.broker, tradetype: book.tradetype };
}

export type EntryForm = ReturnType<typeof useEntry>["form"];
