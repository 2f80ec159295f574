import { readJobDescription } from "#features/careers/job-description-files.ts";
import type { Schemas } from "#lib/api.ts";

export type Job = Schemas["JobDescription"];

/**
 * Returns the job description that the page was prerendered with. In the browser it is read from a data element of the
 * page, so that no script has to contain it; undefined after a navigation inside the app.
 */
export function prerenderedJob(jobid: string): Job | undefined {
  if (import.meta.env.SSR) return readJobDescription(jobid);
  const data = document.getElementById(dataElementId(jobid))?.textContent;
  return data ? JSON.parse(data) : undefined;
}

export function dataElementId(jobid: string): string {
  return `job-${jobid}`;
}

/** Serialises a value for a script element; escapes `<`, so that the value cannot end the element. */
export function toScriptJson(value: unknown): string {
  return JSON.stringify(value).replaceAll("<", "\\u003c");
}
