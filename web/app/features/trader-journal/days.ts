/** Returns the date `count` days after an ISO date. */
export function addDays(date: string, count: number): string {
  const day = new Date(`${date}T00:00:00Z`);
  day.setUTCDate(day.getUTCDate() + count);
  return day.toISOString().slice(0, 10);
}

/** Returns the Monday of the week. */
export function weekStart(date: string): string {
  return addDays(date, -((new Date(`${date}T00:00:00Z`).getUTCDay() + 6) % 7));
}

export function monthStart(date: string): string {
  return `${date.slice(0, 8)}01`;
}

/** Returns the first day of the next or previous month. */
export function addMonths(date: string, count: number): string {
  const day = new Date(`${monthStart(date)}T00:00:00Z`);
  day.setUTCMonth(day.getUTCMonth() + count);
  return day.toISOString().slice(0, 10);
}

/** Returns the last day of the month. */
export function monthEnd(date: string): string {
  return addDays(addMonths(date, 1), -1);
}

/** Returns the weeks of the month from Monday to Sunday; undefined for days of other months. */
export function monthWeeks(date: string): (string | undefined)[][] {
  const [first, last] = [monthStart(date), monthEnd(date)];
  const weeks = [];
  for (let monday = weekStart(first); monday <= last; monday = addDays(monday, 7)) {
    const days = Array.from({ length: 7 }, (_, index) => addDays(monday, index));
    weeks.push(days.map((day) => (day >= first && day <= last ? day : undefined)));
  }
  return weeks;
}

/** Returns the date if the text is one, such as `2026-11-20`. */
export function parseDay(text: string | undefined): string | undefined {
  if (!text || !/^(199\d|20\d\d)-\d\d-\d\d$/.test(text)) return undefined;
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text) ? text : undefined;
}

const long = new Intl.DateTimeFormat("en-IN", {
  weekday: "long",
  day: "numeric",
  month: "long",
  year: "numeric",
  timeZone: "UTC",
});
const month = new Intl.DateTimeFormat("en-IN", { month: "long", year: "numeric", timeZone: "UTC" });

/** Friday 20 November 2026 */
export function longDay(date: string): string {
  return long.format(new Date(`${date}T00:00:00Z`)).replaceAll(",", "");
}

/** November 2026 */
export function longMonth(date: string): string {
  return month.format(new Date(`${date}T00:00:00Z`));
}
