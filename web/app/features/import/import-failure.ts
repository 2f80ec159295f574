import { isProblem } from "#lib/api.ts";
import { wait } from "#lib/format.ts";

/** What went wrong, and in what state the trades are. */
export type ImportFailure = {
  title: string;
  text: string;
  /** The same file may be sent again as it is. */
  retry: boolean;
  /** Nobody knows yet whether the server stored it. */
  open: boolean;
};

const GENERAL = "Error uploading file.";
const AGAIN = "Sending it again is safe: the same file twice adds nothing.";

/** The server's own sentence where it gave one. A refusal (4xx) stored nothing. */
export function refused(status: number, body: unknown, seconds: number | undefined): ImportFailure {
  const title = isProblem(body) && body.detail ? body.detail : GENERAL;
  if (status === 429 || status === 503) {
    const when = seconds ? `in ${wait(seconds)}` : "in a moment";
    return { title, text: `Nothing was stored. Try again ${when}.`, retry: true, open: false };
  }
  if (status < 500) {
    return { title, text: "Nothing was stored. The file stays chosen.", retry: false, open: false };
  }
  return { title, text: `Nothing was stored as far as we know. ${AGAIN}`, retry: true, open: true };
}

/** No answer came: the line was cut, or the server took too long. */
export function unanswered(sentWhole: boolean): ImportFailure {
  const text = sentWhole
    ? `The whole file had left, but no answer came back. We do not know whether it was stored. ${AGAIN}`
    : `The connection was lost. Nothing was stored as far as we know. ${AGAIN}`;
  return { title: GENERAL, text, retry: true, open: sentWhole };
}

/** The reader stopped it. */
export function cancelled(sentWhole: boolean): string {
  return sentWhole
    ? `The whole file had already been sent, so the import may still be completed; the Trade Log shows it. ${AGAIN}`
    : "The file was not sent whole, so nothing was stored.";
}
