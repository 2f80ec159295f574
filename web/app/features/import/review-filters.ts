import { type Finding, findingsOf } from "#features/import/findings.ts";
import type { Preview } from "#features/import/preview.ts";

export type Filter = "all" | "added" | "duplicate" | "conflict" | "warning" | "refused";

/** Each outcome with how many there are; a row with a warning is counted by its outcome, too. */
export function filterCounts(preview: Preview): Record<Filter, number> {
  const { rows, added, duplicates, conflictTotal, warningTotal, rejectedTotal } = preview;
  return {
    all: rows,
    added,
    duplicate: duplicates - conflictTotal,
    conflict: conflictTotal,
    warning: warningTotal,
    refused: rejectedTotal,
  };
}

export type Shown = {
  findings: readonly Finding[];
  conflicts: Preview["conflicts"];
  sample: Preview["sample"];
};

/** What a filter lets through of what the server lists. */
export function shownBy(filter: Filter, preview: Preview): Shown {
  const { conflicts, sample } = preview;
  const findings = findingsOf(preview);
  switch (filter) {
    case "all":
      return { findings, conflicts, sample };
    case "added":
    case "duplicate":
      return { findings: [], conflicts: [], sample: sample.filter(({ outcome }) => outcome === filter) };
    case "conflict":
      return { findings: [], conflicts, sample: [] };
    case "warning":
    case "refused":
      return { findings: findings.filter(({ kind }) => kind === filter), conflicts: [], sample: [] };
  }
}
