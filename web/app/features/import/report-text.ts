import type { Report } from "#features/import/preview.ts";
import { bookName } from "#lib/books.ts";
import type { ImportCounts } from "#lib/import-title.ts";
import { period } from "#lib/period.ts";

const COUNTS = ["added", "duplicates", "corrected", "conflictTotal", "rejectedTotal"] as const;

/** Returns the totals of several files. */
export function totalCounts(reports: readonly ImportCounts[]): ImportCounts {
  const total: Record<keyof ImportCounts, number> = {
    added: 0,
    duplicates: 0,
    corrected: 0,
    conflictTotal: 0,
    rejectedTotal: 0,
  };
  for (const report of reports) for (const name of COUNTS) total[name] += report[name];
  return total;
}

/** Describes an imported file: "tradebook.xlsx · 1 Apr to 20 Jun 2025 · Zerodha, Equity". */
export function reportDescription(report: Report): string {
  return [report.fileName, period(report.from, report.to), bookName(report)].filter(Boolean).join(" · ");
}

/** Returns the tone of a report: gain if all was imported, warn if rows were skipped or undecided, info if nothing is new. */
export function reportTone({
  added,
  corrected,
  conflictTotal,
  rejectedTotal,
}: ImportCounts): "gain" | "warn" | "info" {
  if (rejectedTotal > 0 || conflictTotal > 0) return "warn";
  return added + corrected > 0 ? "gain" : "info";
}
