import { dayNumber, dayText } from "#features/analytics/charts/days.ts";

/** First and last day in India, inclusive; empty for an open end. */
export type Span = { from: string; to: string };

export type Period = Span & { label: string };

export const ALL_TIME: Period = { label: "All time", from: "", to: "" };

/** Number of financial years listed while the date of the first trade is unknown. */
const DEFAULT_YEARS = 3;

/** Returns the calendar year in which the financial year of a day began; it runs from April to March. */
export function financialYear(day: string): number {
  return Number(day.slice(0, 4)) - (day.slice(5, 7) < "04" ? 1 : 0);
}

/** Returns a name such as "FY 2025–26". */
export function yearName(year: number): string {
  return `FY ${year}–${String((year + 1) % 100).padStart(2, "0")}`;
}

function yearSpan(year: number): Span {
  return { from: `${year}-04-01`, to: `${year + 1}-03-31` };
}

/** Returns the named periods of the menu: recent days and months, then financial years back to the first trade. */
export function periods(today: string, first: string | undefined): Period[] {
  const number = dayNumber(today);
  const monthStart = `${today.slice(0, 7)}-01`;
  const lastMonthEnd = dayText(dayNumber(monthStart) - 1);
  const year = financialYear(today);
  const oldest = Math.min(first ? financialYear(first) : year - DEFAULT_YEARS + 1, year);
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

/** Returns the named period with exactly these days, if there is one. */
export function namedPeriod(list: readonly Period[], { from, to }: Span): Period | undefined {
  return list.find((period) => period.from === from && period.to === to);
}
