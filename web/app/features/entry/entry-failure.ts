import { type EntryField, isEntryField } from "#features/entry/entry-schema.ts";
import { isProblem, type Problem } from "#lib/api.ts";
import { wait } from "#lib/format.ts";

export const FAILED = "An error occurred. Please try again.";

export type EntryFailure = {
  /** What of the entry is stored, and what to do. */
  text: string;
  /** What the server said about single fields. */
  fields: { field: EntryField; message: string }[];
  /** The attempt is over: saving again stores another entry. */
  spent: boolean;
};

/** The request that failed: the replace, which is one for both legs, or the add of one leg. */
type Sent = "replace" | "buy" | "sell";

const SAFE = "Saving again is safe: nothing is stored twice.";
const CHANGED =
  "This entry was stored before it was changed here. Look at the Trade Log: saving again stores it a second time.";

/** The server answered, and did not store it. */
export function refused(error: unknown, sent: Sent, seconds: number | undefined): EntryFailure {
  if (!isProblem(error)) return { text: SAFE, fields: [], spent: false };
  if (error.code === "key_reused") return { text: CHANGED, fields: [], spent: true };
  if (error.code === "change_undone") return takenOut();

  const fields = (error.errors ?? []).flatMap(({ field, message }) => {
    const own = ownField(field, sent);
    return own ? [{ field: own, message }] : [];
  });
  return { text: [explained(error, seconds), stored(error, sent)].join(" "), fields, spent: false };
}

/** An earlier try stored it, and it was taken out of the log since. */
export function takenOut(): EntryFailure {
  return {
    text: "A part of this entry was stored, and taken out of the log since. Look at the Trade Log: saving again stores both legs anew.",
    fields: [],
    spent: true,
  };
}

/** No answer came: nobody knows whether it was stored. */
export function unanswered(): EntryFailure {
  return {
    text: `No answer came back, so we do not know whether it was stored. ${SAFE}`,
    fields: [],
    spent: false,
  };
}

/** The books could not be asked for, so nothing left. */
export function notSent(): EntryFailure {
  return { text: "Nothing was stored.", fields: [], spent: false };
}

/** The book has filled since the first try, perhaps with this very entry. */
export function outrun(): EntryFailure {
  return {
    text: "The book was empty before and holds trades now. Look at the Trade Log: saving again adds this entry.",
    fields: [],
    spent: true,
  };
}

function explained({ status, detail }: Problem, seconds: number | undefined): string {
  if (status === 429 || status === 503)
    return `Try again ${seconds ? `in ${wait(seconds)}` : "in a moment"}.`;
  return detail;
}

function stored({ status }: Problem, sent: Sent): string {
  if (sent === "sell") return "The buy is stored, the sell is not. Saving again completes the entry.";
  return status === 507 || (status < 500 && status !== 409) ? "Nothing was stored." : SAFE;
}

/** A field of the request, such as `trade.price` or `trades[1].timestamp`, is one of ours. */
function ownField(path: string, sent: Sent): EntryField | undefined {
  const name = path.split(".").at(-1) ?? "";
  const leg = sent === "replace" ? (/\b1\b/.test(path) ? "sell" : "buy") : sent;
  if (name === "price") return leg === "buy" ? "buyPrice" : "sellPrice";
  if (name === "timestamp") return leg === "buy" ? "buyDate" : "sellDate";
  if (name === "exchange") return "market";
  return isEntryField(name) ? name : undefined;
}
