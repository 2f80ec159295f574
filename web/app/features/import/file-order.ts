const NAMES = new Intl.Collator("en", { numeric: true });

/** Days in file names: 05-06-2026, 2026-06-05 and 20260605, with any mark or none between the parts. */
const DAY_FIRST = /(?<!\d)(?<day>\d{2})[-_.](?<month>\d{2})[-_.](?<year>20\d{2})(?!\d)/;
const YEAR_FIRST = /(?<!\d)(?<year>20\d{2})([-_.]?)(?<month>\d{2})\2(?<day>\d{2})(?!\d)/;

/** Returns the day in a file name, such as 2026-06-05; undefined if it has none. */
function dayOf(name: string): string | undefined {
  const { day, month, year } = (DAY_FIRST.exec(name) ?? YEAR_FIRST.exec(name))?.groups ?? {};
  return Number(month) >= 1 && Number(month) <= 12 && Number(day) <= 31
    ? `${year}-${month}-${day}`
    : undefined;
}

/**
 * Compares file names by the day in them, and by name. The notes of a purchase then come before those of its sale, also if
 * the name begins with the day of the month.
 */
export function compareByDay(a: string, b: string): number {
  const [dayOfA = "9999", dayOfB = "9999"] = [dayOf(a), dayOf(b)];
  if (dayOfA !== dayOfB) return dayOfA < dayOfB ? -1 : 1;
  return NAMES.compare(a, b);
}

export function sortByDay(files: readonly File[]): File[] {
  return files.toSorted((a, b) => compareByDay(a.name, b.name));
}
