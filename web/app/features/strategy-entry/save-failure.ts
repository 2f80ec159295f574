import type { PlannedTrade } from "#features/strategy-entry/planned-trades.ts";
import type { SaveOutcome } from "#features/strategy-entry/save-trades.ts";
import { type FieldName, legField } from "#features/strategy-entry/strategy-validation.ts";
import { isProblem, type Problem } from "#lib/api.ts";
import { wait } from "#lib/format.ts";

export type SaveFailure = {
  /** Names the leg and the reason. */
  text: string;
  /** Field errors of the server. */
  fields: ReadonlyMap<FieldName, string>;
  /** True if the trade may be saved: it must be sent again unchanged. */
  maybeSaved: boolean;
  /** True if the next try adds the trade with another key. */
  needsNewKey: boolean;
};

type Failed = Extract<SaveOutcome, { kind: "failed" }>;
type Reason = Omit<SaveFailure, "text"> & { reason: string };

const NO_FIELDS: SaveFailure["fields"] = new Map();
const NOT_SAVED = { fields: NO_FIELDS, maybeSaved: false, needsNewKey: false };
const MAYBE_SAVED = { ...NOT_SAVED, maybeSaved: true };
const NEW_KEY = { ...NOT_SAVED, needsNewKey: true };

const UNKNOWN = "we do not know if it was saved. You can try again: it is not added twice.";
const DELETED = "It was saved and then deleted from the log. If you try again, it is added again.";
const CHANGED =
  "It was saved before you changed it. Check the Trade Log first: if you try again, it is added a second time.";

/** Describes a failure to add a trade. */
export function describeFailure({ failed, result }: Failed): SaveFailure {
  const { reason, ...failure } = findReason(failed, result);
  return { ...failure, text: `Leg ${failed.legIndex + 1}, ${failed.part}: ${reason}` };
}

function findReason(failed: PlannedTrade, result: Failed["result"]): Reason {
  if (result.kind === "noResponse") {
    return { ...MAYBE_SAVED, reason: `The server did not respond, so ${UNKNOWN}` };
  }
  if (result.kind === "deleted") return { ...NEW_KEY, reason: DELETED };
  const { error, seconds } = result;
  if (!isProblem(error)) return { ...MAYBE_SAVED, reason: `The server sent no reason, so ${UNKNOWN}` };
  if (error.code === "change_undone") return { ...NEW_KEY, reason: DELETED };
  if (error.code === "idempotency_key_reused") return { ...NEW_KEY, reason: CHANGED };
  return problemReason(failed, error, seconds);
}

function problemReason(failed: PlannedTrade, problem: Problem, seconds: number | undefined): Reason {
  const { status, detail, errors = [] } = problem;
  if (status === 429 || status === 503) {
    const cause = status === 429 ? "There were too many requests." : "The server is busy.";
    const reason = `${cause} Try again ${seconds ? `in ${wait(seconds)}` : "in a moment"}.`;
    return { ...(status === 503 ? MAYBE_SAVED : NOT_SAVED), reason };
  }
  if (status === 409 || (status >= 500 && status !== 507)) {
    return { ...MAYBE_SAVED, reason: `${detail} You can try again: it is not added twice.` };
  }
  const fields = new Map(
    errors.flatMap(({ field, message }) => {
      const name = toFieldName(field, failed);
      return name ? [[name, message] as const] : [];
    }),
  );
  return { ...NOT_SAVED, fields, reason: `${detail} It was not saved.` };
}

/** Returns the field of the form for a field of the request, such as `trade.price`. */
function toFieldName(path: string, { legIndex, part }: PlannedTrade): FieldName | undefined {
  const isEntry = part === "entry";
  const names: Record<string, FieldName> = {
    price: legField(legIndex, isEntry ? "entryPrice" : "exitPrice"),
    timestamp: isEntry ? "openedAt" : "closedAt",
    quantity: "quantity",
    symbol: legField(legIndex, "strike"),
  };
  return names[path.split(".").at(-1) ?? ""];
}
