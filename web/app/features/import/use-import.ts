import { useCallback, useEffect, useRef, useState } from "react";
import type { ImportFailure } from "#features/import/import-failure.ts";
import type { ImportChoice } from "#features/import/import-schema.ts";
import type { ImportReport, Mismatch, Outcome, SendOptions } from "#features/import/send-import.ts";

export type ImportState =
  | { phase: "idle" }
  | { phase: "sending"; file: File; share: number }
  | { phase: "mismatch"; problem: Mismatch }
  | { phase: "failed"; failure: ImportFailure }
  | { phase: "cancelled"; text: string };

export type ImportEvents = {
  email: string;
  onDone: (report: ImportReport) => void;
  /** It ended without an answer: the trades may have changed. */
  onOpen: () => void;
};

export type Importing = {
  state: ImportState;
  /** How many imports went through. */
  done: number;
  start: (choice: ImportChoice) => void;
  /** Answers the question about a file of another kind. */
  confirm: () => void;
  retry: () => void;
  cancel: () => void;
  /** Puts away whatever message stands there. */
  reset: () => void;
};

/** The form has loaded this by the time it is needed; who only reads the log does without. */
async function send(choice: ImportChoice, options: SendOptions): Promise<Outcome> {
  const { sendImport } = await import("#features/import/send-import.ts");
  return sendImport(choice, options);
}

/** One import at a time. It lives above the panels, so that it goes on while the log is looked at. */
export function useImport(events: ImportEvents): Importing {
  const [state, setState] = useState<ImportState>({ phase: "idle" });
  const [done, setDone] = useState(0);
  const latest = useRef(events);
  latest.current = events;
  const running = useRef<AbortController>(undefined);
  const last = useRef<{ choice: ImportChoice; confirm: boolean }>(undefined);

  const run = useCallback(async (choice: ImportChoice, confirm: boolean) => {
    if (running.current) return;
    const control = new AbortController();
    running.current = control;
    last.current = { choice, confirm };
    const sending = (share: number) => setState({ phase: "sending", file: choice.file, share });
    sending(0);
    const outcome = await send(choice, {
      email: latest.current.email,
      confirm,
      signal: control.signal,
      // In whole percents: a fast line reports far more often than anybody can see.
      onProgress: (share) => sending(share >= 1 ? 1 : Math.floor(share * 100) / 100),
    });
    running.current = undefined;

    switch (outcome.kind) {
      case "done":
        setState({ phase: "idle" });
        setDone((count) => count + 1);
        return latest.current.onDone(outcome.report);
      case "mismatch":
        return setState({ phase: "mismatch", problem: outcome.problem });
      case "failed":
        setState({ phase: "failed", failure: outcome.failure });
        return outcome.failure.open ? latest.current.onOpen() : undefined;
      case "cancelled":
        setState({ phase: "cancelled", text: outcome.text });
        return outcome.open ? latest.current.onOpen() : undefined;
    }
  }, []);

  const sending = state.phase === "sending";
  useEffect(() => {
    if (!sending) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", ask);
    return () => window.removeEventListener("beforeunload", ask);
  }, [sending]);

  // Nobody is left to hear the answer.
  useEffect(() => () => running.current?.abort(), []);

  return {
    state,
    done,
    start: (choice) => void run(choice, false),
    confirm: () => last.current && void run(last.current.choice, true),
    retry: () => last.current && void run(last.current.choice, last.current.confirm),
    cancel: () => running.current?.abort(),
    reset: () => setState((now) => (now.phase === "sending" ? now : { phase: "idle" })),
  };
}
