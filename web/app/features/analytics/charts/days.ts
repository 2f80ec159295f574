const DAY = 86_400_000;

/** Returns a day as a number of days since 1 January 1970, for arithmetic and chart positions. */
export function dayNumber(day: string): number {
  return Math.round(Date.parse(`${day}T00:00:00Z`) / DAY);
}

export function dayText(number: number): string {
  return new Date(number * DAY).toISOString().slice(0, 10);
}

/** Returns the weekday; 0 is Monday. */
export function weekdayOf(day: string): number {
  // 1 January 1970 was a Thursday.
  return (((dayNumber(day) + 3) % 7) + 7) % 7;
}

/** Returns the Monday of a day's week. */
export function weekOf(day: string): string {
  return dayText(dayNumber(day) - weekdayOf(day));
}

export type DayTick = { day: string; label: string };

const APRIL = 3;
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** Returns at most `room` marks for an axis of days: days for a short period, then months, quarters or years. */
export function dayTicks(from: string, to: string, room: number): DayTick[] {
  const days = dayNumber(to) - dayNumber(from);
  if (days <= 62) {
    const step = [1, 2, 7, 14, 31].find((size) => days / size < room) ?? 62;
    const count = Math.floor(days / step) + 1;
    return Array.from({ length: count }, (_, index) => {
      const day = dayText(dayNumber(from) + index * step);
      return { day, label: `${Number(day.slice(8))} ${monthName(day)}` };
    });
  }
  const first = Number(from.slice(0, 4)) * 12 + Number(from.slice(5, 7)) - 1 + (from.endsWith("-01") ? 0 : 1);
  const last = Number(to.slice(0, 4)) * 12 + Number(to.slice(5, 7)) - 1;
  const step = [1, 2, 3, 6, 12, 24, 60].find((size) => (last - first) / size < room) ?? 120;
  const marks: DayTick[] = [];
  // Steps are counted from April, the first month of a financial year.
  for (let month = Math.ceil((first - APRIL) / step) * step + APRIL; month <= last; month += step) {
    const day = `${Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, "0")}-01`;
    // Only the first mark of a year shows the year.
    const year = marks.at(-1)?.day.slice(0, 4) !== day.slice(0, 4);
    marks.push({ day, label: year ? `${monthName(day)} ${day.slice(0, 4)}` : monthName(day) });
  }
  return marks;
}

function monthName(day: string): string {
  return MONTHS[Number(day.slice(5, 7)) - 1] ?? "";
}

export type MonthDays = { month: string; title: string; weeks: (string | undefined)[][] };

/** Returns the months of a period with their days in weeks, from Monday to Friday or, with `weekends`, to Sunday. */
export function months(from: string, to: string, weekends: boolean): MonthDays[] {
  const list: MonthDays[] = [];
  const width = weekends ? 7 : 5;
  let month = from.slice(0, 7);
  while (month <= to.slice(0, 7)) {
    const next = monthAfter(month);
    const weeks: (string | undefined)[][] = [];
    for (let number = dayNumber(`${month}-01`); number < dayNumber(`${next}-01`); number += 1) {
      const day = dayText(number);
      const column = weekdayOf(day);
      if (column >= width) continue;
      if (weeks.length === 0 || column === 0) weeks.push(Array.from({ length: width }));
      const week = weeks.at(-1);
      if (week) week[column] = day;
    }
    list.push({ month, title: `${monthName(`${month}-01`)} ${month.slice(0, 4)}`, weeks });
    month = next;
  }
  return list;
}

function monthAfter(month: string): string {
  const [year = 0, number = 0] = month.split("-").map(Number);
  return number === 12 ? `${year + 1}-01` : `${year}-${String(number + 1).padStart(2, "0")}`;
}
