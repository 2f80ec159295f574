import { date } from "#lib/format.ts";

/** "1 to 20 Jun 2025": says month and year once where both ends share them. Empty without either end. */
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

/** A day that exists, in years that trades can have; otherwise empty. */
export function day(value: string | null): string {
  if (!value || !/^(19[89]|20\d)\d-\d\d-\d\d$/.test(value)) return "";
  const at = new Date(`${value}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(value) ? value : "";
}
