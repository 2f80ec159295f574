import { isProblem } from "#lib/api.ts";
import { wait } from "#lib/format.ts";

/** What went wrong, and in what state the trades are. */
export type ImportFailure = {
  title: string;
  text: string;
  /** The same may be asked again as it is. */
  retry: boolean;
  /** Nobody knows yet whether the server stored it. */
  open: boolean;
};

const GENERAL = "Error uploading file.";
export const AGAIN = "Sending it again is safe: the same file twice adds nothing.";

/**
 * Refused before anything was done. What is not `busy` may be stored: a line inside the server that is cut while it
 * stores is a 503 as well.
 */
export function takesNoMore(status: number, body: unknown): boolean {
  return status === 429 || (status === 503 && isProblem(body) && body.code === "busy");
}

/** The server's own sentence where it gave one. A file that is only checked stores nothing, nor does a refusal (4xx). */
export function refused(
  status: number,
  body: unknown,
  { seconds, storing }: { seconds: number | undefined; storing: boolean },
): ImportFailure {
  const title = isProblem(body) && body.detail ? body.detail : GENERAL;
  if (takesNoMore(status, body) || (status === 503 && !storing)) {
    const when = seconds ? `in ${wait(seconds)}` : "in a moment";
    return { title, text: `Nothing was stored. Try again ${when}.`, retry: true, open: false };
  }
  if (status < 500)
    return { title, text: "Nothing was stored. The file stays chosen.", retry: false, open: false };
  // No room: the sentence says that nothing was changed.
  if (status === 507) return { title, text: "The file stays chosen.", retry: true, open: false };
  if (!storing) return { title, text: "Nothing was stored.", retry: true, open: false };
  return { title, text: `Nothing was stored as far as we know. ${AGAIN}`, retry: true, open: true };
}

/** No answer came: the line was cut, or the server took too long. */
export function unanswered(storing: boolean): ImportFailure {
  const text = storing
    ? `No answer came back, so we do not know whether it was stored. ${AGAIN}`
    : "The connection was lost. Nothing was stored.";
  return { title: GENERAL, text, retry: true, open: storing };
}

/** The server has forgotten what it checked: after an hour, or because it was imported. */
export const FORGOTTEN: ImportFailure = {
  title: "The check of this file is no longer kept.",
  text: "More than an hour went by, or it was imported already: the Trade Log shows it. Choose the file again.",
  retry: false,
  open: true,
};

/** An earlier try was stored, and undone since. */
export const UNDONE: ImportFailure = {
  title: "This import was undone.",
  text: "Its trades are not in the Trade Log. Choose the file again to import them.",
  retry: false,
  open: false,
};

/** The reader stopped it. */
export function cancelled(storing: boolean): string {
  return storing
    ? `The import may still be completed; the Trade Log shows it. ${AGAIN}`
    : "Nothing was stored.";
}
