import { date } from "#lib/format.ts";

/** Formats a period, such as "1 to 20 Jun 2025"; a shared month or year appears once. Empty without either end. */
export function period(from: string | null, to: string | null): string {
  if (!from && !to) return "";
  if (!from) return `Until ${date(to ?? "")}`;
  if (!to) return `From ${date(from)}`;

  const [start, end] = [date(from), date(to)];
  if (start === end) return start;
  const [day = "", month, year] = start.split(" ");
  const [, endMonth, endYear] = end.split(" ");
  if (year !== endYear) return `${start} to ${end}`;
  return month === endMonth ? `${day} to ${end}` : `${day} ${month} to ${end}`;
}

/** Returns the date if it exists and is in a year that trades can have (1980 to 2099), otherwise an empty string. */
export function parseDate(value: string | null): string {
  if (!value || !/^(19[89]|20\d)\d-\d\d-\d\d$/.test(value)) return "";
  const date = new Date(`${value}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(value) ? value : "";
}
