import { type DocumentSignature, isAltered } from "#features/import/signature-text.ts";
import type { Schemas } from "#lib/api.ts";
import type { BookSelection } from "#lib/books.ts";

export type Preview = Schemas["Preview"];
/** Imported file; `signature` is that of its preview. */
export type Report = Schemas["Import"] & { signature?: DocumentSignature };
/** Trade whose values in the file differ from the broker's earlier file. */
export type Conflict = Schemas["Conflict"];
export type Mismatch = Schemas["MismatchProblem"];

/** Decision on a conflict: keep the trade, or take the broker's values. */
export type Choice = "keep" | "take";

export type Choices = {
  /** Choices by the id of the conflict. */
  readonly byId: Readonly<Record<string, Choice>>;
  /** Choice for all other conflicts; without it they stay undecided until the next import. */
  readonly others?: Choice;
};

export const NO_CHOICES: Choices = { byId: {} };

type IssueCounts = Pick<
  Preview,
  "rejectedTotal" | "conflictTotal" | "oddTotal" | "accountMatch" | "otherSegmentRows" | "signature"
>;

/**
 * Returns true if the trader must review a file; other files are imported at once. Of a file with both trade types only
 * the selected one is imported.
 */
export function needsReview(
  { rejectedTotal, conflictTotal, oddTotal, accountMatch, otherSegmentRows, signature }: IssueCounts,
  { selection = {} }: { selection?: BookSelection } = {},
): boolean {
  const hasIssues = rejectedTotal > 0 || conflictTotal > 0 || oddTotal > 0;
  const leavesTrades = otherSegmentRows > 0 && selection.tradetype !== undefined;
  return hasIssues || accountMatch === "otherCodes" || leavesTrades || isAltered(signature);
}

/** Returns a preview without the warnings about its layout, which the trader accepted in the review of another file. */
export function acceptLayout(preview: Preview): Preview {
  const warnings = preview.warnings.filter(({ code }) => code === "format_unverified").length;
  return { ...preview, oddTotal: Math.max(0, preview.oddTotal - warnings) };
}

/** Returns true if a preview has no issues beyond those already reviewed. */
export function hasNoNewIssues(before: IssueCounts, now: IssueCounts): boolean {
  return (
    now.rejectedTotal <= before.rejectedTotal &&
    now.conflictTotal <= before.conflictTotal &&
    now.oddTotal <= before.oddTotal &&
    (now.accountMatch !== "otherCodes" || before.accountMatch === "otherCodes")
  );
}

export function choiceOf({ id }: Pick<Conflict, "id">, { byId, others }: Choices): Choice | undefined {
  return byId[id] ?? others;
}

/** Returns the choices for conflicts of the preview; others may have been resolved in the meantime. */
export function listedChoices({ conflicts }: Pick<Preview, "conflicts">, { byId }: Choices): Choices["byId"] {
  return Object.fromEntries(conflicts.flatMap(({ id }) => (byId[id] ? [[id, byId[id]]] : [])));
}

export type DecisionCounts = { keep: number; take: number; undecided: number };

/** Counts the decisions on all conflicts, including those that the preview does not list. */
export function countDecisions({ conflicts, conflictTotal }: Preview, choices: Choices): DecisionCounts {
  const counts: DecisionCounts = { keep: 0, take: 0, undecided: 0 };
  for (const conflict of conflicts) counts[choiceOf(conflict, choices) ?? "undecided"] += 1;
  counts[choices.others ?? "undecided"] += conflictTotal - conflicts.length;
  return counts;
}

/** Parses stored choices; ignores invalid values. */
export function parseChoices(stored: unknown): Choices {
  if (typeof stored !== "object" || stored === null) return NO_CHOICES;
  const { byId, others }: { byId?: unknown; others?: unknown } = stored;
  const entries = typeof byId === "object" && byId !== null ? Object.entries(byId) : [];
  return {
    byId: Object.fromEntries(entries.flatMap(([id, choice]) => (isChoice(choice) ? [[id, choice]] : []))),
    ...(isChoice(others) && { others }),
  };
}

function isChoice(value: unknown): value is Choice {
  return value === "keep" || value === "take";
}
