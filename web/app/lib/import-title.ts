import { plural } from "#lib/format.ts";

/** Result of an import in numbers. `duplicates` includes `corrected` and `conflictTotal`. */
export type ImportCounts = {
  added: number;
  duplicates: number;
  /** Stored trades that were updated to the broker's version. */
  corrected: number;
  /** Stored trades that were kept although the broker's version differs. */
  conflictTotal: number;
  rejectedTotal: number;
};

/** Returns "412 trades added, 264 were already there, 4 rows were skipped". */
export function importTitle(counts: ImportCounts): string {
  const { added, duplicates, corrected, conflictTotal, rejectedTotal } = counts;
  const unchanged = duplicates - corrected - conflictTotal;
  return [
    added === 0 ? "No trades added" : `${plural(added, "trade")} added`,
    corrected > 0 && `${plural(corrected, "was", "were")} corrected`,
    unchanged > 0 && `${plural(unchanged, "was", "were")} already there`,
    conflictTotal > 0 && `${plural(conflictTotal, "conflict was", "conflicts were")} left open`,
    rejectedTotal > 0 && `${plural(rejectedTotal, "row was", "rows were")} skipped`,
  ]
    .filter(Boolean)
    .join(", ");
}
