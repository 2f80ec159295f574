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
