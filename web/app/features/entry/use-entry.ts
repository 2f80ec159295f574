import { standardSchemaResolver } from "@hookform/resolvers/standard-schema";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useForm } from "react-hook-form";
import type { Book } from "#content/books.ts";
import { booksQuery, forgetBooks, sizeOf } from "#features/entry/books-query.ts";
import { type Attempt, forgetDraft, keepDraft, newAttempt, readDraft } from "#features/entry/entry-draft.ts";
import { type EntryFailure, notSent, outrun } from "#features/entry/entry-failure.ts";
import { type EntryIntent, forceOn } from "#features/entry/entry-intent.ts";
import {
  afterEntry,
  type Entry,
  type EntryFields,
  entrySchema,
  NEW_ENTRY,
} from "#features/entry/entry-schema.ts";
import { manualBook } from "#features/entry/manual-book.ts";
import { announceReplaced } from "#features/entry/replaced-news.ts";
import { type Saved, saveEntry } from "#features/entry/save-entry.ts";

/** What was pressed: Save leaves, Another goes on with the next entry. */
export type Next = "leave" | "another";

export type EntryOptions = {
  email: string;
  /** Chosen elsewhere: the form does not ask for it. */
  book?: Book | undefined;
  intent?: EntryIntent | undefined;
  onSaved: (book: Book, next: Next) => void;
};

/** The form of one entry, its draft and its attempts. */
export function useEntry({ email, book, intent, onSaved }: EntryOptions) {
  const client = useQueryClient();
  const [draft] = useState(() => readDraft(email));
  const form = useForm<EntryFields, unknown, Entry>({
    resolver: standardSchemaResolver(entrySchema),
    defaultValues: { ...(draft?.fields ?? { ...NEW_ENTRY, ...manualBook() }), ...bookOf(book ?? intent) },
    shouldFocusError: false,
  });
  const attempt = useRef(draft?.attempt);
  const [sending, setSending] = useState<Next>();
  const [failure, setFailure] = useState<EntryFailure>();
  const [tries, setTries] = useState(0);
  const [saved, setSaved] = useState<Entry>();

  useEffect(
    () =>
      form.subscribe({
        formState: { values: true },
        callback: ({ values }) => keepDraft(email, { fields: values, attempt: attempt.current }),
      }),
    [form, email],
  );

  // Once the emptied fields are drawn: before, the form does not know them again.
  useEffect(() => {
    if (saved) form.setFocus("symbol");
  }, [saved, form]);

  async function modeFor(entry: Entry): Promise<Attempt["mode"]> {
    const forced = forceOn(entry, intent);
    if (forced) return forced;
    const { books } = await client.fetchQuery({ ...booksQuery(), staleTime: 0 });
    return sizeOf(books, entry) === 0 ? "replace" : "append";
  }

  async function store(entry: Entry): Promise<Saved> {
    let mode: Attempt["mode"];
    try {
      mode = await modeFor(entry);
    } catch (error) {
      console.error(error);
      return { kind: "failed", failure: notSent() };
    }
    // The book was empty when this was first tried, and is not now: a replace would take what came in between.
    if (attempt.current?.mode === "replace" && mode === "append")
      return { kind: "failed", failure: outrun() };
    if (attempt.current?.mode !== mode) attempt.current = newAttempt(mode);
    // Before anything is sent: whatever happens then, a second try is the same entry.
    keepDraft(email, { fields: form.getValues(), attempt: attempt.current });
    return saveEntry(email, entry, attempt.current);
  }

  async function send(entry: Entry, next: Next) {
    if (sending) return;
    setSending(next);
    setFailure(undefined);
    setSaved(undefined);
    const outcome = await store(entry);
    setSending(undefined);
    if (outcome.kind === "failed") return fail(outcome.failure);

    attempt.current = undefined;
    tell(entry, outcome);
    void forgetBooks(client);
    if (next === "another") {
      form.reset(afterEntry(form.getValues()));
      keepDraft(email, { fields: form.getValues(), attempt: undefined });
      setSaved(entry);
    } else forgetDraft();
    onSaved(entry, next);
  }

  function fail(reason: EntryFailure) {
    if (reason.spent) {
      attempt.current = undefined;
      keepDraft(email, { fields: form.getValues(), attempt: undefined });
    }
    for (const { field, message } of reason.fields) form.setError(field, { type: "server", message });
    if (reason.fields.length > 0) setTries((n) => n + 1);
    setFailure(reason);
  }

  function tell({ broker, tradetype }: Entry, outcome: Exclude<Saved, { kind: "failed" }>) {
    if (outcome.kind === "added") return;
    const { changeId, removed, added } = outcome;
    announceReplaced(removed > 0 ? { email, broker, tradetype, changeId, removed, added } : undefined);
  }

  const submit = (next: Next) =>
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
