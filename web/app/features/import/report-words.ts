import { bookName } from "#content/books.ts";
import type { ImportReport } from "#features/import/send-import.ts";
import { plural } from "#lib/format.ts";
import { period } from "#lib/period.ts";

type Counts = Pick<ImportReport, "added" | "duplicates" | "rejectedTotal">;

/** "412 trades added, 264 were already there, 4 rows were left out". */
export function reportTitle({ added, duplicates, rejectedTotal }: Counts): string {
  const parts = [added === 0 ? "No trades added" : `${plural(added, "trade")} added`];
  if (duplicates > 0) parts.push(`${plural(duplicates, "was", "were")} already there`);
  if (rejectedTotal > 0) parts.push(`${plural(rejectedTotal, "row was", "rows were")} left out`);
  return parts.join(", ");
}

/** The file, what it covers and where it went: "tradebook.xlsx · 1 Apr to 20 Jun 2025 · Zerodha, Equity". */
export function reportSource(report: ImportReport): string {
  return [report.fileName, period(report.from, report.to), bookName(report)].filter(Boolean).join(" · ");
}

/** Green for what went in whole, yellow where rows stayed out, neutral where there was nothing new. */
export function reportTone({ added, rejectedTotal }: Counts): "gain" | "warn" | "info" {
  if (rejectedTotal > 0) return "warn";
  return added > 0 ? "gain" : "info";
}
