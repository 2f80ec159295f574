import type { Strategy } from "#features/analytics/analytics-api.ts";
import { dayNumber, dayText } from "#features/analytics/charts/days.ts";
import { istDate } from "#lib/format.ts";

/** Days before and after the opening in which other strategies are listed. */
export const JOIN_DAYS = 45;

/** Returns the request parameters for the strategies that may be joined with a strategy. */
export function joinQuery({ underlying, openedAt }: Pick<Strategy, "underlying" | "openedAt">) {
  const day = dayNumber(istDate(openedAt));
  return { symbol: underlying, limit: 200, from: dayText(day - JOIN_DAYS), to: dayText(day + JOIN_DAYS) };
}

/** Returns the other strategies, those with the nearest opening first. */
export function joinCandidates(
  strategies: readonly Strategy[],
  { id, openedAt }: Pick<Strategy, "id" | "openedAt">,
): readonly Strategy[] {
  const distance = (other: Strategy) => Math.abs(Date.parse(other.openedAt) - Date.parse(openedAt));
  return strategies.filter((other) => other.id !== id).sort((a, b) => distance(a) - distance(b));
}
