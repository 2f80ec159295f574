import { useCallback, useEffect, useRef, useState } from "react";
import { builtInText, type Job } from "#features/careers/built-in-text.ts";
import { careersApi } from "#lib/api.ts";

const PATIENCE = 8_000;
/** Between two tries; it doubles up to the largest. */
const FIRST_WAIT = 1_000;
const LARGEST_WAIT = 15_000;

export type JobState = {
  /** With the page, then from the server. */
  job: Job | undefined;
  /** There is no such opening, or not any more. */
  gone: boolean;
  /** It takes long: that is said. */
  late: boolean;
  retry: () => void;
};

/** The text of a job. Where there is none yet, it is asked for until it comes. */
export function useJob(jobid: string): JobState {
  const [job, setJob] = useState(() => builtInText(jobid));
  const [gone, setGone] = useState(false);
  const [late, setLate] = useState(false);
  const [round, setRound] = useState(0);
  const had = useRef(job !== undefined);

  // biome-ignore lint/correctness/useExhaustiveDependencies: each round is a new try
  useEffect(() => {
    const stop = new AbortController();
    void load(jobid, had.current, stop.signal).then((answer) => {
      if (stop.signal.aborted || !answer) return;
      if (answer === "gone") return setGone(true);
      had.current = true;
      setJob(answer);
    });
    return () => stop.abort();
  }, [jobid, round]);

  const waiting = job === undefined && !gone;
  useEffect(() => {
    if (!waiting) return;
    const timer = setTimeout(() => setLate(true), PATIENCE);
    return () => clearTimeout(timer);
  }, [waiting]);

  const retry = useCallback(() => setRound((number) => number + 1), []);
  return { job, gone, late: waiting && late, retry };
}

/** Nothing when there is a text already and the server gave no better one. */
async function load(jobid: string, has: boolean, signal: AbortSignal): Promise<Job | "gone" | undefined> {
  for (let wait = FIRST_WAIT; !signal.aborted; wait = Math.min(wait * 2, LARGEST_WAIT)) {
    const answer = await ask(jobid, signal);
    if (answer || has) return answer;
    await new Promise((again) => setTimeout(again, wait));
  }
  return undefined;
}

async function ask(jobid: string, signal: AbortSignal): Promise<Job | "gone" | undefined> {
  try {
    const { data, response } = await careersApi.GET("/api/job-description/{jobid}", {
      params: { path: { jobid } },
      signal,
    });
    return response.status === 404 ? "gone" : data;
  } catch (error) {
    if (!signal.aborted) console.warn("The job description did not come.", error);
    return undefined;
  }
}
