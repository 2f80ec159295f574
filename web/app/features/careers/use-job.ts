import { useCallback, useEffect, useRef, useState } from "react";
import { type Job, prerenderedJob } from "#features/careers/prerendered-job.ts";
import { careersApi } from "#lib/api.ts";

/** Loading time after which the page offers Retry. */
const SLOW_AFTER_MS = 8_000;
/** Delay before the next attempt; it doubles up to the maximum. */
const MIN_RETRY_DELAY_MS = 1_000;
const MAX_RETRY_DELAY_MS = 15_000;

export type JobState = {
  /** First the prerendered description, then that of the server. */
  job: Job | undefined;
  /** The opening does not exist or is closed. */
  closed: boolean;
  /** Loading takes long. */
  slow: boolean;
  retry: () => void;
};

/** Loads a job description; without a prerendered one it retries until it succeeds. */
export function useJob(jobid: string): JobState {
  const [job, setJob] = useState(() => prerenderedJob(jobid));
  const [closed, setClosed] = useState(false);
  const [slow, setSlow] = useState(false);
  const [attempt, setAttempt] = useState(0);
  const hasJob = useRef(job !== undefined);

  // biome-ignore lint/correctness/useExhaustiveDependencies: each attempt loads again
  useEffect(() => {
    const abort = new AbortController();
    void load(jobid, hasJob.current, abort.signal).then((result) => {
      if (abort.signal.aborted || !result) return;
      if (result === "closed") return setClosed(true);
      hasJob.current = true;
      setJob(result);
    });
    return () => abort.abort();
  }, [jobid, attempt]);

  const loading = job === undefined && !closed;
  useEffect(() => {
    if (!loading) return;
    const timer = setTimeout(() => setSlow(true), SLOW_AFTER_MS);
    return () => clearTimeout(timer);
  }, [loading]);

  const retry = useCallback(() => setAttempt((number) => number + 1), []);
  return { job, closed, slow: loading && slow, retry };
}

type Result = Job | "closed" | undefined;

/** Retries until there is a result; with a prerendered description it tries once and may return undefined. */
async function load(jobid: string, hasJob: boolean, signal: AbortSignal): Promise<Result> {
  for (let delay = MIN_RETRY_DELAY_MS; !signal.aborted; delay = Math.min(delay * 2, MAX_RETRY_DELAY_MS)) {
    const result = await request(jobid, signal);
    if (result || hasJob) return result;
    await new Promise((resolve) => setTimeout(resolve, delay));
  }
  return undefined;
}

async function request(jobid: string, signal: AbortSignal): Promise<Result> {
  try {
    const { data, response } = await careersApi.GET("/api/job-description/{jobid}", {
      params: { path: { jobid } },
      signal,
    });
    return response.status === 404 ? "closed" : data;
  } catch (error) {
    if (!signal.aborted) console.warn("The job description could not be loaded.", error);
    return undefined;
  }
}
