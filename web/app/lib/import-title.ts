import { plural } from "#lib/format.ts";

/** What an import did, in numbers. `duplicates` holds the two that follow it. */
export type ImportCounts = {
  added: number;
  duplicates: number;
  /** Made what the broker tells now. */
  corrected: number;
  /** Left as they were, though the broker tells them otherwise now. */
  conflictTotal: number;
  rejectedTotal: number;
};

/** "412 trades added, 264 were already there, 4 rows were left out". */
export function importTitle(counts: ImportCounts): string {
  const { added, duplicates, corrected, conflictTotal, rejectedTotal } = counts;
  const there = duplicates - corrected - conflictTotal;
  return [
    added === 0 ? "No trades added" : `${plural(added, "trade")} added`,
    corrected > 0 && `${plural(corrected, "was", "were")} corrected`,
    there > 0 && `${plural(there, "was", "were")} already there`,
    conflictTotal > 0 && `${plural(conflictTotal, "conflict was", "conflicts were")} left open`,
    rejectedTotal > 0 && `${plural(rejectedTotal, "row was", "rows were")} left out`,
  ]
    .filter(Boolean)
    .join(", ");
}
