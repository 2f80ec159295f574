import { type Issue, listIssues } from "#features/import/issues.ts";
import type { Preview } from "#features/import/preview.ts";

export type ReviewFilter = "all" | "added" | "duplicate" | "conflict" | "warning" | "skipped";

/** Returns the number of rows of each filter; a row with a warning also counts for its outcome. */
export function filterCounts(preview: Preview): Record<ReviewFilter, number> {
  const { rows, added, duplicates, conflictTotal, warningTotal, rejectedTotal } = preview;
  return {
    all: rows,
    added,
    duplicate: duplicates - conflictTotal,
    conflict: conflictTotal,
    warning: warningTotal,
    skipped: rejectedTotal,
  };
}

export type FilteredPreview = {
  issues: readonly Issue[];
  conflicts: Preview["conflicts"];
  sample: Preview["sample"];
};

/** Returns the parts of a preview that a filter shows. */
export function filterPreview(filter: ReviewFilter, preview: Preview): FilteredPreview {
  const { conflicts, sample } = preview;
  const issues = listIssues(preview);
  switch (filter) {
    case "all":
      return { issues, conflicts, sample };
    case "added":
    case "duplicate":
      return { issues: [], conflicts: [], sample: sample.filter(({ outcome }) => outcome === filter) };
    case "conflict":
      return { issues: [], conflicts, sample: [] };
    case "warning":
    case "skipped":
      return { issues: issues.filter(({ kind }) => kind === filter), conflicts: [], sample: [] };
  }
}
