import { bookName } from "#content/books.ts";
import type { Report } from "#features/import/preview.ts";
import type { ImportCounts } from "#lib/import-title.ts";
import { period } from "#lib/period.ts";

const COUNTS = ["added", "duplicates", "corrected", "conflictTotal", "rejectedTotal"] as const;

/** Of several files together. */
export function totalOf(reports: readonly ImportCounts[]): ImportCounts {
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

/** The file, what it covers and where it went: "tradebook.xlsx · 1 Apr to 20 Jun 2025 · Zerodha, Equity". */
export function reportSource(report: Report): string {
  return [report.fileName, period(report.from, report.to), bookName(report)].filter(Boolean).join(" · ");
}

/** Green for what went in whole, yellow where something stayed out or open, neutral where there was nothing new. */
export function reportTone({
  added,
  corrected,
  conflictTotal,
  rejectedTotal,
}: ImportCounts): "gain" | "warn" | "info" {
  if (rejectedTotal > 0 || conflictTotal > 0) return "warn";
  return added + corrected > 0 ? "gain" : "info";
}
