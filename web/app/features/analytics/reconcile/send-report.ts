import type { Reconciliation } from "#features/analytics/reconcile/reconciliation.ts";
import type { TaxReconciliation } from "#features/analytics/reconcile/tax-reconciliation.ts";
import type { Viewer } from "#features/analytics/viewer.ts";
import { API_BASE, isProblem, retryAfter } from "#lib/api.ts";
import { wait } from "#lib/format.ts";
import { sendForm, type UploadOptions, upload } from "#lib/upload.ts";

/** Reason why a report was not compared. The server stores no report, whatever the outcome. */
export type ReportFailure = {
  title: string;
  text: string;
  /** True if sending the same file again may succeed. */
  retry: boolean;
  /** Error code of the server or of this module. */
  code: string;
};

/** Comparison of a profit and loss report or of a tax report. */
export type AnyReconciliation = Reconciliation | TaxReconciliation;

export type ComparisonOutcome =
  | { kind: "compared"; result: AnyReconciliation }
  | { kind: "failed"; failure: ReportFailure };

/** Error code: the guest's read-only token has expired. */
export const ACCESS_EXPIRED = "access_expired";

const PATH = "/analytics/reconcile";

/** Uploads a report, which the server compares with the trade log. */
export async function sendReport(
  file: File,
  viewer: Viewer,
  options: UploadOptions & { signal: AbortSignal },
): Promise<ComparisonOutcome> {
  const form = new FormData();
  form.set("file", file);
  try {
    const { headers } = viewer.requestInit;
    const response = headers
      ? await sendForm(API_BASE + PATH, form, { ...options, headers })
      : await upload(PATH, form, options);
    const body: unknown = await response.json().catch(() => undefined);
    if (response.ok && isReconciliation(body)) return { kind: "compared", result: body };
    const expired = headers !== undefined && response.status === 401;
    const failure = reportFailure(response, body);
    return { kind: "failed", failure: expired ? { ...failure, code: ACCESS_EXPIRED } : failure };
  } catch (error) {
    if (options.signal.aborted) return failed("The comparison was cancelled.", "cancelled");
    console.warn("No response to an uploaded report.", error);
    return failed("The connection was lost.", "no_answer");
  }
}

function failed(title: string, code: string): ComparisonOutcome {
  return { kind: "failed", failure: { title, text: "Your file is still selected.", retry: true, code } };
}

/** Describes an error response, with the server's message if it has one. */
export function reportFailure(response: Response, body: unknown): ReportFailure {
  const problem = isProblem(body) ? body : undefined;
  const title = problem?.detail || "The report could not be compared.";
  const code = problem?.code ?? "";
  // A success with an invalid body is a server error, too.
  const temporary = response.ok || response.status === 429 || response.status >= 500;
  if (!temporary) return { title, text: "The file was not stored.", retry: false, code };
  const seconds = retryAfter(response);
  return { title, text: `Try again ${seconds ? `in ${wait(seconds)}` : "in a moment"}.`, retry: true, code };
}

function isReconciliation(body: unknown): body is AnyReconciliation {
  if (typeof body !== "object" || body === null || !("notCompared" in body)) return false;
  return "totals" in body || "heads" in body;
}
