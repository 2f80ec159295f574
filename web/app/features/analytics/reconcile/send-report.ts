import type { Reader } from "#features/analytics/reader.ts";
import type { Reconciliation } from "#features/analytics/reconcile/reconciliation.ts";
import { API_BASE, isProblem, retryAfter } from "#lib/api.ts";
import { wait } from "#lib/format.ts";
import { sendForm, type UploadOptions, upload } from "#lib/upload.ts";

/** Why a report was not compared; nothing of it is kept, whatever happened. */
export type ReportFailure = {
  title: string;
  text: string;
  /** The same may be asked again as it is. */
  retry: boolean;
  /** What the file is, or the log lacks, in the server's word for it. */
  code: string;
};

export type Sent = { kind: "compared"; result: Reconciliation } | { kind: "failed"; failure: ReportFailure };

/** The leave to read has run out, which every later request would hear as well. */
export const READING_OVER = "reading_over";

const PATH = "/analytics/reconcile";

/** Has the server compare a report with the log. */
export async function sendReport(
  file: File,
  reader: Reader,
  options: UploadOptions & { signal: AbortSignal },
): Promise<Sent> {
  const form = new FormData();
  form.set("file", file);
  try {
    const { headers } = reader.init;
    const response = headers
      ? await sendForm(API_BASE + PATH, form, { ...options, headers })
      : await upload(PATH, form, options);
    const body: unknown = await response.json().catch(() => undefined);
    if (response.ok && isReconciliation(body)) return { kind: "compared", result: body };
    const over = headers !== undefined && response.status === 401;
    const failure = refused(response, body);
    return { kind: "failed", failure: over ? { ...failure, code: READING_OVER } : failure };
  } catch (error) {
    if (options.signal.aborted) return failed("The comparison was cancelled.", "cancelled");
    console.warn("No answer to a report.", error);
    return failed("The connection was lost.", "no_answer");
  }
}

function failed(title: string, code: string): Sent {
  return { kind: "failed", failure: { title, text: "The file stays chosen.", retry: true, code } };
}

/** The server's own sentence where it gave one: it says what to do. */
export function refused(response: Response, body: unknown): ReportFailure {
  const problem = isProblem(body) ? body : undefined;
  const title = problem?.detail || "The report could not be compared.";
  const code = problem?.code ?? "";
  // A success that cannot be read is a fault of the server, too.
  const passing = response.ok || response.status === 429 || response.status >= 500;
  if (!passing) return { title, text: "Nothing of the file is kept.", retry: false, code };
  const seconds = retryAfter(response);
  return { title, text: `Try again ${seconds ? `in ${wait(seconds)}` : "in a moment"}.`, retry: true, code };
}

function isReconciliation(body: unknown): body is Reconciliation {
  return typeof body === "object" && body !== null && "totals" in body && "notCompared" in body;
}
