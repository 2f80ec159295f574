import { skipToken, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import {
  type AnyReconciliation,
  type ReportFailure,
  sendReport,
} from "#features/analytics/reconcile/send-report.ts";
import { useViewer } from "#features/analytics/viewer.ts";

export type Compared<R extends AnyReconciliation = AnyReconciliation> = {
  file: File;
  result: R;
  at: string;
};

export type Comparison = {
  /** Last comparison, kept while other pages are open; lost on reload and logout. */
  compared: Compared | undefined;
  /** Report being uploaded, with the share of bytes sent. */
  sending: { file: File; share: number } | undefined;
  failed: { file: File; failure: ReportFailure } | undefined;
  compare: (file: File) => void;
  cancel: () => void;
  /** Discards the comparison, to choose another report. */
  clear: () => void;
};

/** Uploads a report and keeps the state and the result of its comparison. */
export function useComparison(): Comparison {
  const viewer = useViewer();
  const client = useQueryClient();
  const queryKey = ["reconciliation", viewer.requestInit];
  const { data: compared } = useQuery<Compared | null>({
    queryKey,
    queryFn: skipToken,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
    structuralSharing: false,
  });
  const [sending, setSending] = useState<Comparison["sending"]>();
  const [failed, setFailed] = useState<Comparison["failed"]>();
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  const store = (comparison: Compared | null) => client.setQueryData(queryKey, comparison);

  async function send(file: File) {
    running.current?.abort();
    const controller = new AbortController();
    running.current = controller;
    setFailed(undefined);
    setSending({ file, share: 0 });
    const outcome = await sendReport(file, viewer, {
      signal: controller.signal,
      onProgress: (share) => setSending({ file, share }),
    });
    // Another comparison was started in the meantime, or this one was discarded.
    if (running.current !== controller) return;
    setSending(undefined);
    if (outcome.kind === "failed") setFailed({ file, failure: outcome.failure });
    if (outcome.kind === "compared") store({ file, result: outcome.result, at: new Date().toISOString() });
  }

  return {
    compared: compared ?? undefined,
    sending,
    failed,
    compare: (file) => void send(file),
    cancel: () => running.current?.abort(),
    clear() {
      running.current?.abort();
      running.current = undefined;
      setSending(undefined);
      setFailed(undefined);
      store(null);
    },
  };
}
