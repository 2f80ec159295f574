import { standardSchemaResolver } from "@hookform/resolvers/standard-schema";
import { useCallback, useEffect, useRef, useState } from "react";
import { useForm } from "react-hook-form";
import {
  type ApplyFields,
  addTyped,
  forgetDraft,
  keepDraft,
  readDraft,
} from "#features/application/apply-draft.ts";
import { type Apply, applySchema } from "#features/application/apply-schema.ts";
import { type ApplyFailure, type Receipt, sendApplication } from "#features/application/send-application.ts";

export const formId = (jobid: string) => `apply-${jobid}`;

/** The form of one application: its draft, its tries and what came of them. */
export function useApply(jobid: string, onStored: (receipt: Receipt, email: string) => void) {
  const [draft] = useState(() => readDraft(jobid));
  const [start] = useState(() => addTyped(draft.fields, builtForm(jobid)));
  const key = useRef(draft.key);
  const form = useForm<ApplyFields, unknown, Apply>({
    resolver: standardSchemaResolver(applySchema),
    defaultValues: start,
    shouldFocusError: false,
  });
  /** From 0 to 1 while it is being sent. */
  const [share, setShare] = useState<number>();
  const [failure, setFailure] = useState<ApplyFailure>();
  const [cancelled, setCancelled] = useState(false);
  const [tries, setTries] = useState(0);
  const running = useRef<AbortController>(undefined);

  const keep = useCallback((fields: ApplyFields) => keepDraft(jobid, fields, key.current), [jobid]);
  useEffect(
    () => form.subscribe({ formState: { values: true }, callback: ({ values }) => keep(values) }),
    [form, keep],
  );

  // Nobody is left to hear the answer.
  useEffect(() => () => running.current?.abort(), []);

  const sending = share !== undefined;
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
    setShare(0);
    // Before anything is sent: whatever happens then, a second try is the same application.
    keep(form.getValues());
    const outcome = await sendApplication(jobid, answers, {
      key: key.current,
      signal: control.signal,
      // In whole percents: a fast line reports far more often than anybody can see.
      onProgress: (part) => setShare(Math.floor(part * 100) / 100),
    });
    running.current = undefined;
    setShare(undefined);
    if (outcome.kind === "cancelled") return setCancelled(true);
    if (outcome.kind === "failed") return fail(outcome.failure);
    forgetDraft(jobid);
    onStored(outcome.receipt, answers.email);
  }

  function fail(reason: ApplyFailure) {
    if (reason.newKey) {
      key.current = crypto.randomUUID();
      keep(form.getValues());
    }
    for (const { field, message } of reason.fields) form.setError(field, { type: "server", message });
    if (reason.fields.length > 0) setTries((number) => number + 1);
    setFailure(reason);
  }

  return {
    form,
    submit: form.handleSubmit(send, () => {
      setFailure(undefined);
      setTries((number) => number + 1);
    }),
    share,
    failure,
    cancelled,
    tries,
    cancel: () => running.current?.abort(),
    /** The name of a file that was chosen before the page was loaded anew. */
    lostFile: draft.fileName,
  };
}

function builtForm(jobid: string): HTMLFormElement | null {
  if (typeof document === "undefined") return null;
  const found = document.getElementById(formId(jobid));
  return found instanceof HTMLFormElement ? found : null;
}

export type ApplyForm = ReturnType<typeof useApply>["form"];
