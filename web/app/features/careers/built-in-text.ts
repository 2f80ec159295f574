import { writtenText } from "#content/opening-texts.ts";
import type { Schemas } from "#lib/api.ts";

export type Job = Schemas["JobDescription"];

/**
 * The text that the page was built with. In the browser it stands in the page, as data beside the text itself, so that
 * no script has to carry it; after a change of page there is none.
 */
export function builtInText(jobid: string): Job | undefined {
  if (import.meta.env.SSR) return writtenText(jobid);
  const data = document.getElementById(dataId(jobid))?.textContent;
  return data ? JSON.parse(data) : undefined;
}

export function dataId(jobid: string): string {
  return `text-of-${jobid}`;
}

/** For a script element: nothing in it can end it. */
export function asScript(value: unknown): string {
  return JSON.stringify(value).replaceAll("<", "\\u003c");
}
