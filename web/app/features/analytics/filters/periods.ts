import { dayNumber, dayText } from "#features/analytics/charts/days.ts";

/** Days in India, both ends in it; empty where it is open. */
export type Span = { from: string; to: string };

export type Period = Span & { label: string };

export const ALL_TIME: Period = { label: "All time", from: "", to: "" };

/** How far back financial years go while nobody knows when the first trade was. */
const YEARS = 3;

/** The year in which the financial year of this day began: it runs from April to March. */
export function financialYear(day: string): number {
  return Number(day.slice(0, 4)) - (day.slice(5, 7) < "04" ? 1 : 0);
}

/** "FY 2025–26" */
export function yearName(year: number): string {
  return `FY ${year}–${String((year + 1) % 100).padStart(2, "0")}`;
}

export function yearSpan(year: number): Span {
  return { from: `${year}-04-01`, to: `${year + 1}-03-31` };
}

/** What one looks at most, seen from today: recent days and months, then financial years back to the first trade. */
export function periods(today: string, first: string | undefined): Period[] {
  const number = dayNumber(today);
  const monthStart = `${today.slice(0, 7)}-01`;
  const lastMonthEnd = dayText(dayNumber(monthStart) - 1);
  const year = financialYear(today);
  const oldest = Math.min(first ? financialYear(first) : year - YEARS + 1, year);
  return [
    ALL_TIME,
    { label: "Last 7 days", from: dayText(number - 6), to: today },
    { label: "Last 30 days", from: dayText(number - 29), to: today },
    { label: "This month", from: monthStart, to: today },
    { label: "Last month", from: `${lastMonthEnd.slice(0, 7)}-01`, to: lastMonthEnd },
    ...Array.from({ length: year - oldest + 1 }, (_, index) => ({
      label: yearName(year - index),
      ...yearSpan(year - index),
    })),
  ];
}

/** The period that these days are, where they are one that has a name. */
export function namedPeriod(list: readonly Period[], { from, to }: Span): Period | undefined {
  return list.find((period) => period.from === from && period.to === to);
}
