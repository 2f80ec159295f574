import type { Schemas } from "#lib/api.ts";

export type Preview = Schemas["Preview"];
export type Report = Schemas["Import"];
export type Conflict = Schemas["Conflict"];
export type Mismatch = Schemas["MismatchProblem"];

/** Keep the trade as it is, or make it what the broker tells now. */
export type Choice = "keep" | "take";

export type Choices = {
  /** By the id of the conflict. */
  readonly one: Readonly<Record<string, Choice>>;
  /** For all that `one` does not name; left out, these wait for the next time. */
  readonly others?: Choice;
};

export const UNDECIDED: Choices = { one: {} };

type Doubts = Pick<Preview, "rejectedTotal" | "conflictTotal" | "oddTotal">;

/** Whether the trader has something to decide, or should see it first. All else goes in at once. */
export function needsReview({ rejectedTotal, conflictTotal, oddTotal }: Doubts): boolean {
  return rejectedTotal > 0 || conflictTotal > 0 || oddTotal > 0;
}

/** Whether a preview raises nothing beyond what was looked at. */
export function sameDoubts(before: Doubts, now: Doubts): boolean {
  return (
    now.rejectedTotal <= before.rejectedTotal &&
    now.conflictTotal <= before.conflictTotal &&
    now.oddTotal <= before.oddTotal
  );
}

export function choiceOf({ id }: Pick<Conflict, "id">, { one, others }: Choices): Choice | undefined {
  return one[id] ?? others;
}

/** The choices that a preview still asks for: the book may have changed since they were made. */
export function namedChoices({ conflicts }: Pick<Preview, "conflicts">, { one }: Choices): Choices["one"] {
  return Object.fromEntries(conflicts.flatMap(({ id }) => (one[id] ? [[id, one[id]]] : [])));
}

export type Decided = { keep: number; take: number; open: number };

/** What becomes of all conflicts, those beyond the list included. */
export function decided({ conflicts, conflictTotal }: Preview, choices: Choices): Decided {
  const sums: Decided = { keep: 0, take: 0, open: 0 };
  for (const conflict of conflicts) sums[choiceOf(conflict, choices) ?? "open"] += 1;
  sums[choices.others ?? "open"] += conflictTotal - conflicts.length;
  return sums;
}

/** What comes from a storage may be anything. */
export function toChoices(stored: unknown): Choices {
  if (typeof stored !== "object" || stored === null) return UNDECIDED;
  const { one, others }: { one?: unknown; others?: unknown } = stored;
  const entries = typeof one === "object" && one !== null ? Object.entries(one) : [];
  return {
    one: Object.fromEntries(entries.flatMap(([id, choice]) => (isChoice(choice) ? [[id, choice]] : []))),
    ...(isChoice(others) && { others }),
  };
}

function isChoice(value: unknown): value is Choice {
  return value === "keep" || value === "take";
}
