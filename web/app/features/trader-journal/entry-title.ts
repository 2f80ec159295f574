import { longDay } from "#features/trader-journal/days.ts";
import type { JournalEntry } from "#features/trader-journal/journal-entry.ts";
import { positionPath, strategyPath } from "#lib/analytics-paths.ts";
import { date } from "#lib/format.ts";

/** Returns the page of an entry. */
export function entryPath({ kind, key, day }: Pick<JournalEntry, "kind" | "key" | "day">): string {
  if (kind === "position") return positionPath(encodeURIComponent(key));
  if (kind === "strategy") return strategyPath(encodeURIComponent(key));
  return kind === "day" ? `/journal/${day}` : `/journal/${day}?period=${kind}`;
}

/** Returns the title of an entry: "INFY, 12 Nov 2026", "NIFTY strategy, 12 Nov 2026" or the name of a period. */
export function entryTitle({ kind, symbol, day }: Pick<JournalEntry, "kind" | "symbol" | "day">): string {
  if (kind === "day") return longDay(day);
  if (kind === "week") return `Week from ${date(day)}`;
  if (kind === "month") return `Month from ${date(day)}`;
  if (kind === "strategy") return `${symbol ? `${symbol} strategy` : "Strategy"}, ${date(day)}`;
  return `${symbol || "Position"}, ${date(day)}`;
}
