import { skipToken, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useReader } from "#features/analytics/reader.ts";
import type { Reconciliation } from "#features/analytics/reconcile/reconciliation.ts";
import { type ReportFailure, sendReport } from "#features/analytics/reconcile/send-report.ts";

export type Compared = { file: File; result: Reconciliation; at: string };

export type Comparison = {
  /** The last one, also after a look at other pages; a reload, like a sign-out, forgets it. */
  compared: Compared | undefined;
  /** Under way, with the share of the bytes that left. */
  sending: { file: File; share: number } | undefined;
  failed: { file: File; failure: ReportFailure } | undefined;
  compare: (file: File) => void;
  cancel: () => void;
  /** Forgets it, for another report. */
  clear: () => void;
};

/** A report on its way to be compared, and what came of it. */
export function useComparison(): Comparison {
  const reader = useReader();
  const client = useQueryClient();
  const queryKey = ["reconciliation", reader.init];
  const { data: compared } = useQuery<Compared | null>({
    queryKey,
    queryFn: skipToken,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
    structuralSharing: false,
  });
  const [sending, setSending] = useState<Comparison["sending"]>();
  const [failed, setFailed] = useState<Comparison["failed"]>();
  const stop = useRef<AbortController>(undefined);
  useEffect(() => () => stop.current?.abort(), []);

  const keep = (comparison: Compared | null) => client.setQueryData(queryKey, comparison);

  async function send(file: File) {
    stop.current?.abort();
    const own = new AbortController();
    stop.current = own;
    setFailed(undefined);
    setSending({ file, share: 0 });
    const sent = await sendReport(file, reader, {
      signal: own.signal,
      onProgress: (share) => setSending({ file, share }),
    });
    // Another was begun in the meantime, or none is wanted.
    if (stop.current !== own) return;
    setSending(undefined);
    if (sent.kind === "failed") setFailed({ file, failure: sent.failure });
    if (sent.kind === "compared") keep({ file, result: sent.result, at: new Date().toISOString() });
  }

  return {
    compared: compared ?? undefined,
    sending,
    failed,
    compare: (file) => void send(file),
    cancel: () => stop.current?.abort(),
    clear() {
      // Nobody waits for what comes of it.
      stop.current?.abort();
      stop.current = undefined;
      setSending(undefined);
      setFailed(undefined);
      keep(null);
    },
  };
}
