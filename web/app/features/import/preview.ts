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

/** Of every first file: it begins in the middle of what its trader holds. */
const ORDINARY = "sale_without_purchase";

/** Trades that go in and look odd. A row that is set aside has a warning, too, and is no trade. */
export function oddTrades({ warnings, setAside }: Pick<Preview, "warnings" | "setAside">): number {
  const others = warnings.filter(({ code }) => code !== ORDINARY).length;
  return Math.max(0, others - setAside);
}

type Doubts = Pick<Preview, "rejectedTotal" | "conflictTotal" | "warnings" | "setAside">;

/** Whether the trader has something to decide, or should see it first. All else goes in at once. */
export function needsReview(preview: Doubts): boolean {
  return preview.rejectedTotal > 0 || preview.conflictTotal > 0 || oddTrades(preview) > 0;
}

/** Whether a preview raises nothing beyond what was looked at. */
export function sameDoubts(before: Doubts, now: Doubts): boolean {
  return (
    now.rejectedTotal <= before.rejectedTotal &&
    now.conflictTotal <= before.conflictTotal &&
    oddTrades(now) <= oddTrades(before)
  );
}

export function choiceOf({ id }: Pick<Conflict, "id">, { one, others }: Choices): Choice | undefined {
  return one[id] ?? others;
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
