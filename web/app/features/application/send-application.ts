import { APPLICATION_NOTICE } from "#content/application-notice.ts";
import { APPLY_FIELDS, type Apply, TOO_LARGE } from "#features/application/apply-schema.ts";
import { isProblem, type Problem, retryAfter, type Schemas } from "#lib/api.ts";
import { wait } from "#lib/format.ts";
import { fieldErrors } from "#lib/problem.ts";
import { sendForm } from "#lib/upload.ts";

export type Receipt = Schemas["Receipt"];
type ApplyField = (typeof APPLY_FIELDS)[number];

/** Reason why an application was not stored. The input and the chosen file are kept. */
export type ApplyFailure = {
  /** Shown below the failure message. */
  text: string;
  fields: readonly { field: ApplyField; message: string }[];
  /** Set if the next attempt needs a new idempotency key. */
  newKey?: boolean;
};

export type Outcome =
  | { kind: "stored"; receipt: Receipt }
  | { kind: "failed"; failure: ApplyFailure }
  | { kind: "cancelled" };

export type SendOptions = { key: string; signal: AbortSignal; onProgress: (progress: number) => void };

/** Sends one application. It succeeds only with the receipt of the server (status 201). */
export async function sendApplication(
  jobid: string,
  answers: Apply,
  { key, signal, onProgress }: SendOptions,
): Promise<Outcome> {
  try {
    const response = await sendForm(`/api/apply/${jobid}`, toFormData(jobid, answers), {
      signal,
      onProgress,
      headers: { "Idempotency-Key": key },
    });
    const body: unknown = await response.json().catch(() => undefined);
    if (response.status === 201 && isReceipt(body)) return { kind: "stored", receipt: body };
    console.warn(`The application failed with status ${response.status}.`);
    return { kind: "failed", failure: toFailure(response, body) };
  } catch (error) {
    if (signal.aborted) return { kind: "cancelled" };
    console.error("The application could not be sent.", error);
    return { kind: "failed", failure: { text: NO_ANSWER, fields: [] } };
  }
}

const NO_ANSWER =
  "The server did not respond. Your answers and your resume are still here. If your application did arrive, submitting again does not create a second one.";

function toFormData(jobid: string, { resume, ...answers }: Apply): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(answers)) form.set(name, String(value));
  form.set("noticeVersion", APPLICATION_NOTICE.version);
  form.set("jobid", jobid);
  // After the text fields, so that the server can reject them before the file arrives.
  if (resume) form.set("resume", resume);
  return form;
}

function isReceipt(body: unknown): body is Receipt {
  return typeof body === "object" && body !== null && "applicationId" in body && "resume" in body;
}

export function toFailure(response: Response, body: unknown): ApplyFailure {
  const problem = isProblem(body) ? body : undefined;
  if (response.status === 413) {
    return { text: "Choose a smaller file.", fields: [{ field: "resume", message: TOO_LARGE }] };
  }
  const errors = problem ? fieldErrors(problem) : [];
  const fields = errors.flatMap(({ field, message }) => {
    const applyField = APPLY_FIELDS.find((name) => name === field);
    return applyField ? [{ field: applyField, message }] : [];
  });
  if (fields.length > 0) return { text: "Please correct the marked fields above.", fields };
  return {
    text: failureText(response, problem),
    fields: [],
    ...(problem?.code === "idempotency_key_reused" && { newKey: true }),
  };
}

function failureText(response: Response, problem: Problem | undefined): string {
  const seconds = retryAfter(response);
  switch (problem?.code) {
    case "opening_not_found":
    case "opening_closed":
      return "This opening is closed. Nothing was stored.";
    case "idempotency_key_reused":
      return "An earlier attempt with other answers was stored; its receipt is in your email. Submit again only if you want to send this as a second application.";
    case "in_progress":
      return "Your first attempt is still being processed. Wait a moment before you submit again.";
    case "storage_full":
      return "We cannot store another resume at the moment. Nothing was stored; your answers are still here.";
    case "network_limit_reached":
      return `Many resumes were sent from this network today. Nothing was stored; your answers are still here. Use another network, such as mobile data, or try again in ${wait(seconds ?? 3600)}.`;
    case "scanner_unavailable":
      return `We cannot check resumes for viruses at the moment. Nothing was stored; your answers are still here. You can try again in ${wait(seconds ?? 60)}.`;
    case "busy":
    case "daily_limit_reached":
      return `Too many applications are arriving at once. Nothing was stored. You can try again in ${wait(seconds ?? 60)}.`;
  }
  if (response.status === 429) return `Too many attempts. You can try again in ${wait(seconds ?? 60)}.`;
  if (response.status >= 500) return NO_ANSWER;
  return problem?.detail || "Nothing was stored.";
}
