import { APPLICATION_NOTICE } from "#content/application-notice.ts";
import { APPLY_FIELDS, type Apply, TOO_LARGE } from "#features/application/apply-schema.ts";
import { isProblem, type Problem, retryAfter, type Schemas } from "#lib/api.ts";
import { wait } from "#lib/format.ts";
import { refusedFields } from "#lib/problem.ts";
import { sendForm } from "#lib/upload.ts";

export type Receipt = Schemas["Receipt"];
export type ApplyField = (typeof APPLY_FIELDS)[number];

/** Why an application was not taken. Nothing that was typed or chosen is lost by any of them. */
export type ApplyFailure = {
  /** Under the sentence that says it failed. */
  text: string;
  fields: readonly { field: ApplyField; message: string }[];
  /** The next try is another application. */
  newKey?: boolean;
};

export type Outcome =
  | { kind: "stored"; receipt: Receipt }
  | { kind: "failed"; failure: ApplyFailure }
  | { kind: "cancelled" };

export type SendOptions = { key: string; signal: AbortSignal; onProgress: (share: number) => void };

/** Sends one application. It counts as sent when the server says that it is stored, and not before. */
export async function sendApplication(
  jobid: string,
  answers: Apply,
  { key, signal, onProgress }: SendOptions,
): Promise<Outcome> {
  try {
    const response = await sendForm(`/api/apply/${jobid}`, asForm(jobid, answers), {
      signal,
      onProgress,
      headers: { "Idempotency-Key": key },
    });
    const body: unknown = await response.json().catch(() => undefined);
    if (response.status === 201 && isReceipt(body)) return { kind: "stored", receipt: body };
    console.warn(`The application was answered with ${response.status}.`);
    return { kind: "failed", failure: refused(response, body) };
  } catch (error) {
    if (signal.aborted) return { kind: "cancelled" };
    console.error("The application did not get through.", error);
    return { kind: "failed", failure: { text: NO_ANSWER, fields: [] } };
  }
}

const NO_ANSWER =
  "We had no answer. Your answers and your resume are still here; if the first try arrived all the same, the next one makes no second application.";

function asForm(jobid: string, { resume, ...answers }: Apply): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(answers)) form.set(name, String(value));
  form.set("noticeVersion", APPLICATION_NOTICE.version);
  form.set("jobid", jobid);
  // Behind the words: they are refused before the bytes arrive.
  if (resume) form.set("resume", resume);
  return form;
}

function isReceipt(body: unknown): body is Receipt {
  return typeof body === "object" && body !== null && "applicationId" in body && "resume" in body;
}

export function refused(response: Response, body: unknown): ApplyFailure {
  const problem = isProblem(body) ? body : undefined;
  if (response.status === 413) {
    return { text: "Choose a smaller file.", fields: [{ field: "resume", message: TOO_LARGE }] };
  }
  const said = problem ? refusedFields(problem) : [];
  const fields = said.flatMap(({ field, message }) => {
    const own = APPLY_FIELDS.find((name) => name === field);
    return own ? [{ field: own, message }] : [];
  });
  if (fields.length > 0) return { text: "Please look at what is marked above.", fields };
  return {
    text: line(response, problem),
    fields: [],
    ...(problem?.code === "key_reused" && { newKey: true }),
  };
}

function line(response: Response, problem: Problem | undefined): string {
  const seconds = retryAfter(response);
  switch (problem?.code) {
    case "no_opening":
    case "opening_closed":
      return "This opening is closed. Nothing was stored.";
    case "key_reused":
      return "An earlier try of yours has arrived, with other answers: its receipt is in your mail. Submit again only if you want to send this as a second application.";
    case "in_progress":
      return "Your first try is still on its way. Wait a moment before you submit again.";
    case "store_full":
      return "There is no room for another resume at the moment. Nothing was stored; your answers are still here.";
    case "busy":
    case "day_full":
      return `Too many applications arrive at once. Nothing was stored. You can try again in ${wait(seconds ?? 60)}.`;
  }
  if (response.status === 429) return `Too many tries. You can try again in ${wait(seconds ?? 60)}.`;
  if (response.status >= 500) return NO_ANSWER;
  return problem?.detail || "Nothing was stored.";
}
