import type { Reconciliation } from "#features/analytics/reconcile/reconciliation.ts";
import type { Schemas } from "#lib/api.ts";
import { date } from "#lib/format.ts";
import { parseDate } from "#lib/period.ts";

export type Repair = Schemas["Repair"];
/** Entered days by the id of the issue. */
export type RepairDates = Readonly<Record<string, string>>;

/** Repairs that are sent at once; the server accepts no more answers. */
const MAX_REPAIRS = 500;

/** Returns the repairs of all rows. One event may explain several rows and is listed once. */
export function listRepairs({ rows }: Pick<Reconciliation, "rows">): Repair[] {
  const byIssue = new Map(rows.flatMap(({ repair }) => (repair ? [[repair.answer.issueId, repair]] : [])));
  return [...byIssue.values()];
}

/** Returns the repairs for which no day is missing. */
export function readyRepairs(repairs: readonly Repair[], dates: RepairDates): Repair[] {
  return repairs.filter((repair) => !dateError(repair, dates)).slice(0, MAX_REPAIRS);
}

/** Returns the message about a missing or invalid day. */
export function dateError(
  { answer, dateRequired, latestDate }: Repair,
  dates: RepairDates,
): string | undefined {
  if (!dateRequired) return undefined;
  const day = dates[answer.issueId] ?? "";
  if (!parseDate(day)) return "Enter the day.";
  return latestDate && day > latestDate ? `Enter a day up to ${date(latestDate)}.` : undefined;
}

/** Returns the answer that applies a repair. */
export function repairAnswer({ answer, dateRequired }: Repair, dates: RepairDates): Repair["answer"] {
  const day = dateRequired && dates[answer.issueId];
  return day ? { ...answer, date: day } : answer;
}
