import { standardSchemaResolver } from "@hookform/resolvers/standard-schema";
import { useCallback, useEffect, useRef, useState } from "react";
import { useForm } from "react-hook-form";
import { useBlocker } from "react-router";
import {
  type ApplyFields,
  deleteDraft,
  mergeTypedInput,
  readDraft,
  saveDraft,
} from "#features/application/apply-draft.ts";
import { type Apply, applySchema } from "#features/application/apply-schema.ts";
import { type ApplyFailure, type Receipt, sendApplication } from "#features/application/send-application.ts";

export const formId = (jobid: string) => `apply-${jobid}`;

/** State of the application form: draft, attempts and their results. */
export function useApply(jobid: string, onStored: (receipt: Receipt, email: string) => void) {
  const [draft] = useState(() => readDraft(jobid));
  const [start] = useState(() => mergeTypedInput(draft.fields, prerenderedForm(jobid)));
  const key = useRef(draft.key);
  const form = useForm<ApplyFields, unknown, Apply>({
    resolver: standardSchemaResolver(applySchema),
    defaultValues: start,
    shouldFocusError: false,
  });
  /** From 0 to 1 while the form is sent. */
  const [progress, setProgress] = useState<number>();
  const [failure, setFailure] = useState<ApplyFailure>();
  const [cancelled, setCancelled] = useState(false);
  const [attempts, setAttempts] = useState(0);
  const running = useRef<AbortController>(undefined);

  const save = useCallback((fields: ApplyFields) => saveDraft(jobid, fields, key.current), [jobid]);
  useEffect(
    () => form.subscribe({ formState: { values: true }, callback: ({ values }) => save(values) }),
    [form, save],
  );

  // After unmount nothing can show the result.
  useEffect(() => () => running.current?.abort(), []);

  const sending = progress !== undefined;
  // Leaving the page would cancel the upload.
  const leaving = useBlocker(sending);
  useEffect(() => {
    if (!sending && leaving.state === "blocked") leaving.reset();
  }, [sending, leaving]);
  useEffect(() => {
    if (!sending) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", ask);
    return () => window.removeEventListener("beforeunload", ask);
  }, [sending]);

  async function send(answers: Apply) {
    if (running.current) return;
    const control = new AbortController();
    running.current = control;
    setFailure(undefined);
    setCancelled(false);
    setProgress(0);
    // Saved with the key before sending, so that every later attempt is the same application.
    save(form.getValues());
    const outcome = await sendApplication(jobid, answers, {
      key: key.current,
      signal: control.signal,
      // Whole percents: a fast connection reports more often than the screen needs.
      onProgress: (part) => setProgress(Math.floor(part * 100) / 100),
    });
    running.current = undefined;
    setProgress(undefined);
    if (outcome.kind === "cancelled") return setCancelled(true);
    if (outcome.kind === "failed") return fail(outcome.failure);
    deleteDraft(jobid);
    onStored(outcome.receipt, answers.email);
  }

  function fail(reason: ApplyFailure) {
    if (reason.newKey) {
      key.current = crypto.randomUUID();
      save(form.getValues());
    }
    for (const { field, message } of reason.fields) form.setError(field, { type: "server", message });
    if (reason.fields.length > 0) setAttempts((number) => number + 1);
    setFailure(reason);
  }

  const { errors } = form.formState;
  /** The fields of the failure were corrected since. */
  const isCorrected = failure?.fields.length && !failure.fields.some(({ field }) => errors[field]);

  return {
    form,
    submit: form.handleSubmit(send, () => {
      setFailure(undefined);
      setAttempts((number) => number + 1);
    }),
    progress,
    failure: isCorrected ? undefined : failure,
    cancelled,
    attempts,
    cancel: () => running.current?.abort(),
    leaving,
    /** Name of the file that was chosen before the page was reloaded. */
    lostFile: draft.fileName,
  };
}

function prerenderedForm(jobid: string): HTMLFormElement | null {
  if (typeof document === "undefined") return null;
  const element = document.getElementById(formId(jobid));
  return element instanceof HTMLFormElement ? element : null;
}
