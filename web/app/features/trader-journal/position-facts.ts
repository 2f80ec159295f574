import type { Schemas } from "#lib/api.ts";
import { istDate } from "#lib/format.ts";

export type Position = Schemas["Position"];

/** Minutes within which another position after a loss counts as a re-entry. */
const REENTRY_MINUTES = 15;

/** Returns facts about a position that the log shows, apart from what the trader says. `others` may contain it. */
export function positionFacts(position: Position, others: readonly Position[]): string[] {
  const facts = [];
  const reentry = minutesAfterLoss(position, others);
  if (reentry !== undefined) facts.push(`Re-entry ${reentry} min after a loss`);
  if (position.timePrecision === "second") {
    const minute = indiaMinute(position.openedAt);
    if (minute < 9 * 60 + 45) facts.push("First half hour");
    if (minute >= 15 * 60) facts.push("Last half hour");
  }
  const expiry = position.contract?.expiry;
  if (expiry && position.closedAt && istDate(position.closedAt) === expiry) facts.push("Expiry day");
  const median = medianValue(others);
  if (median && position.entryValue > 2 * median) facts.push("Size above 2× median");
  return facts;
}

/** Returns the minutes since a position with a loss was closed, if they are few. */
function minutesAfterLoss(position: Position, others: readonly Position[]): number | undefined {
  if (position.timePrecision !== "second") return undefined;
  const opened = Date.parse(position.openedAt);
  const minutes = others
    .filter(
      ({ id, net, closedAt, timePrecision }) =>
        id !== position.id && net < 0 && closedAt && timePrecision === "second",
    )
    .map(({ closedAt }) => (opened - Date.parse(closedAt ?? "")) / 60_000)
    .filter((gap) => gap >= 0 && gap <= REENTRY_MINUTES);
  return minutes.length > 0 ? Math.round(Math.min(...minutes)) : undefined;
}

/** Returns the median entry value; undefined below 20 positions. */
function medianValue(positions: readonly Position[]): number | undefined {
  if (positions.length < 20) return undefined;
  const values = positions.map(({ entryValue }) => entryValue).sort((one, other) => one - other);
  return values[Math.floor(values.length / 2)];
}

/** Returns the minute of the day in India. */
function indiaMinute(iso: string): number {
  return Math.floor((Date.parse(iso) / 60_000 + 330) % 1440);
}
