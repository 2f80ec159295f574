import { type EntryField, isEntryField } from "#features/entry/entry-schema.ts";
import { isProblem, type Problem } from "#lib/api.ts";
import { wait } from "#lib/format.ts";

export const FAILED = "An error occurred. Please try again.";

export type EntryFailure = {
  /** Which legs are saved, and what to do next. */
  text: string;
  /** Field errors of the server. */
  fields: { field: EntryField; message: string }[];
  /** True if the attempt has ended: saving again stores another entry. */
  attemptOver: boolean;
};

type Leg = "buy" | "sell";

const SAFE_TO_RETRY = "You can save again: nothing is saved twice.";
const ALREADY_SAVED =
  "This entry was saved before you changed it. Check the Trade Log first: if you save again, it is added a second time.";

/** Returns the failure for an error response to a request with these legs; `buySaved` if the buy was saved before. */
export function rejectedFailure(
  error: unknown,
  sent: readonly Leg[],
  seconds: number | undefined,
  buySaved = false,
): EntryFailure {
  if (!isProblem(error)) return { text: SAFE_TO_RETRY, fields: [], attemptOver: false };
  if (error.code === "idempotency_key_reused") return { text: ALREADY_SAVED, fields: [], attemptOver: true };
  if (error.code === "change_undone") return deletedFailure();

  const fields = (error.errors ?? []).flatMap(({ field, message }) => {
    const formField = toFormField(field, sent);
    return formField ? [{ field: formField, message }] : [];
  });
  return {
    text: [reasonText(error, seconds), savedText(error, buySaved)].join(" "),
    fields,
    attemptOver: false,
  };
}

/** Returns the failure for an entry of which an earlier try saved a leg that was deleted since. */
export function deletedFailure(): EntryFailure {
  return {
    text: "Part of this entry was saved and then deleted from the log. Check the Trade Log first: if you save again, both legs are added.",
    fields: [],
    attemptOver: true,
  };
}

/** Returns the failure for a request without a response: the entry may be saved or not. */
export function noResponseFailure(): EntryFailure {
  return {
    text: `The server did not respond, so we do not know whether the entry was saved. ${SAFE_TO_RETRY}`,
    fields: [],
    attemptOver: false,
  };
}

/** Returns the failure for an entry that was not sent, because the size of the book could not be loaded. */
export function notSentFailure(): EntryFailure {
  return { text: "Nothing was saved.", fields: [], attemptOver: false };
}

/** Returns the failure for a book that was empty at the first try and is not now, perhaps because of this entry. */
export function bookNotEmptyFailure(): EntryFailure {
  return {
    text: "Trades were added in the meantime. Check the Trade Log first: if you save again, this entry is added.",
    fields: [],
    attemptOver: true,
  };
}

function reasonText({ status, detail }: Problem, seconds: number | undefined): string {
  if (status === 429 || status === 503)
    return `Try again ${seconds ? `in ${wait(seconds)}` : "in a moment"}.`;
  return detail;
}

function savedText({ status }: Problem, buySaved: boolean): string {
  if (buySaved) return "The buy is saved, the sell is not. Save again to complete the entry.";
  return status === 507 || (status < 500 && status !== 409) ? "Nothing was saved." : SAFE_TO_RETRY;
}

/** Returns the form field of a request field such as `trade.price` or `trades[1].timestamp`. */
function toFormField(path: string, sent: readonly Leg[]): EntryField | undefined {
  const name = path.split(".").at(-1) ?? "";
  const leg = sent[/\b1\b/.test(path) ? 1 : 0];
  if (name === "price") return leg === "buy" ? "buyPrice" : "sellPrice";
  if (name === "timestamp") return leg === "buy" ? "buyDate" : "sellDate";
  if (name === "exchange") return "market";
  return isEntryField(name) ? name : undefined;
}
