import { isProblem, type Schemas } from "#lib/api.ts";
import { upload } from "#lib/upload.ts";

export type LedgerImport = Schemas["LedgerImport"];

export type LedgerResult =
  | { kind: "read"; ledger: LedgerImport }
  /** `retry`: the same file may succeed later. */
  | { kind: "failed"; text: string; retry: boolean };

const NO_RESPONSE = "The server could not be reached. Try again: no entry is added twice.";

/** Reads a ledger, and stores its new entries unless it is a preview. `account`: number of the chosen account. */
export async function sendLedger(
  file: File,
  account: number | undefined,
  preview: boolean,
): Promise<LedgerResult> {
  const form = new FormData();
  form.set("preview", String(preview));
  if (account) form.set("brokerAccount", String(account));
  form.set("file", file);
  try {
    const response = await upload("/uploadexcel/ledger", form, {});
    const body: unknown = await response.json().catch(() => undefined);
    if (response.ok && isLedgerImport(body)) return { kind: "read", ledger: body };
    const retry = response.ok || response.status === 429 || response.status >= 500;
    return { kind: "failed", text: (isProblem(body) && body.detail) || NO_RESPONSE, retry };
  } catch {
    return { kind: "failed", text: NO_RESPONSE, retry: true };
  }
}

function isLedgerImport(body: unknown): body is LedgerImport {
  return typeof body === "object" && body !== null && "duplicates" in body && "sums" in body;
}
