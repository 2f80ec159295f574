// Expiry days of options. The monthly contracts follow the lists and the rules of crates/analytics/src/expiry_calendar.rs.
import weekdaysCsv from "../../../crates/analytics/rates/expiry-weekdays.csv?raw";
import indicesCsv from "../../../crates/analytics/rates/indices.csv?raw";
import holidaysCsv from "../../../crates/analytics/rates/trading-holidays.csv?raw";
import weeklyCsv from "../../../crates/analytics/rates/weekly-contracts.csv?raw";

const DAY_MS = 24 * 3_600_000;
/** Longest run of holidays by which an expiry is moved to an earlier day. */
const MAX_HOLIDAYS = 2;
/** Distance of the suggested expiry day; the next monthly expiry is at most five weeks away. */
const MAX_DAYS_TO_SUGGESTION = 35;

const WEEKDAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];
const NO_CONTRACTS = "none";

/** Weekday of expiry from a day or month on; empty if it is unknown. */
type Rule = { from: string; weekday: string };
type Rules = ReturnType<typeof parseRules>;

const EXCHANGES = new Map(parseRows(indicesCsv).map(([symbol = "", exchange]) => [symbol, exchange]));
const HOLIDAYS = new Set(parseRows(holidaysCsv).map(([day = ""]) => day));
const HOLIDAY_YEARS = new Set(Array.from(HOLIDAYS, (day) => day.slice(0, 4)));
const MONTHLY = parseRules(weekdaysCsv);
const WEEKLY = parseRules(weeklyCsv);

/** Indices whose contracts are listed, as suggestions. */
export const OPTION_INDICES: readonly string[] = [...EXCHANGES.keys()].filter((symbol) => WEEKLY.has(symbol));

/** Splits rows into cells. The source is the last cell and the only one that may contain a comma; it is not used. */
function parseRows(csv: string): string[][] {
  const [, ...rows] = csv.trim().split("\n");
  return rows.map((row) => row.split(","));
}

/** Returns the rules by underlying, or by exchange for its other underlyings; the newest first. */
function parseRules(csv: string): ReadonlyMap<string, readonly Rule[]> {
  const rules = new Map<string, Rule[]>();
  for (const [from = "", exchange = "", underlying, weekday = ""] of parseRows(csv)) {
    const key = underlying || exchange;
    rules.set(key, [...(rules.get(key) ?? []), { from, weekday }]);
  }
  for (const list of rules.values()) list.sort((a, b) => (a.from < b.from ? 1 : -1));
  return rules;
}

/** Returns the exchange on which the options of an underlying are traded. */
export function optionExchange(underlying: string): "NSE" | "BSE" {
  return EXCHANGES.get(underlying) === "BSE" ? "BSE" : "NSE";
}

function rulesOf(rules: Rules, underlying: string): readonly Rule[] {
  return rules.get(underlying) ?? rules.get(optionExchange(underlying)) ?? [];
}

/** Returns the weekday that is valid on a day or in a month; empty if it is unknown. */
function weekdayRule(rules: Rules, underlying: string, at: string): string {
  return rulesOf(rules, underlying).find(({ from }) => from <= at)?.weekday ?? "";
}

function addDays(day: string, days: number): string {
  return new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);
}

function weekdayOf(day: string): string | undefined {
  return WEEKDAYS[new Date(day).getUTCDay()];
}

export function isWeekend(day: string): boolean {
  return new Date(day).getUTCDay() % 6 === 0;
}

/** Returns the day, or the last trading day before it. */
function lastTradingDay(day: string): string {
  return HOLIDAYS.has(day) || isWeekend(day) ? lastTradingDay(addDays(day, -1)) : day;
}

/**
 * Returns the expiry of the monthly contract in the month of a day; undefined if its weekday is unknown. Without a list of
 * the holidays of the year, it may be a holiday.
 */
function monthlyExpiry(underlying: string, day: string): string | undefined {
  const month = day.slice(0, 7);
  const weekday = weekdayRule(MONTHLY, underlying, month);
  if (!weekday) return undefined;
  let last = addDays(`${addDays(`${month}-01`, 31).slice(0, 7)}-01`, -1);
  while (weekdayOf(last) !== weekday) last = addDays(last, -1);
  return lastTradingDay(last);
}

/** Returns true for the expiry of the monthly contract, or a day so near to it that holidays may have moved it there. */
function isNearMonthlyExpiry(day: string, monthly: string): boolean {
  return Math.abs(Date.parse(monthly) - Date.parse(day)) <= MAX_HOLIDAYS * DAY_MS;
}

/** Returns true if a contract that expires on a day is the monthly one. */
export function isMonthlyContract(underlying: string, expiry: string): boolean {
  if (rulesOf(WEEKLY, underlying).every(({ weekday }) => weekday === NO_CONTRACTS)) return true;
  const monthly = monthlyExpiry(underlying, expiry);
  if (monthly) return isNearMonthlyExpiry(expiry, monthly);
  return addDays(expiry, 7).slice(0, 7) !== expiry.slice(0, 7);
}

/** Returns true if a contract expires on the day; undefined if that is unknown. */
export function isExpiryDay(underlying: string, day: string): boolean | undefined {
  if (!HOLIDAY_YEARS.has(day.slice(0, 4))) return undefined;
  const monthly = monthlyExpiry(underlying, day);
  // No other contract expires in the week of the monthly one.
  if (monthly && isNearMonthlyExpiry(day, monthly)) return monthly === day;
  const weekly = isWeeklyExpiry(underlying, day);
  return weekly || (monthly ? weekly : undefined);
}

function isWeeklyExpiry(underlying: string, day: string): boolean | undefined {
  for (let days = 0; days < 7; days += 1) {
    const regular = addDays(day, days);
    const weekday = weekdayRule(WEEKLY, underlying, regular);
    if (!weekday) return undefined;
    if (weekday === weekdayOf(regular) && lastTradingDay(regular) === day) return true;
  }
  return false;
}

/** Returns the expiry day nearest to a day that is none, not before `earliest`; undefined if it is unknown. */
export function nearestExpiryDay(underlying: string, day: string, earliest: string): string | undefined {
  for (let days = 1; days <= MAX_DAYS_TO_SUGGESTION; days += 1) {
    for (const near of [addDays(day, -days), addDays(day, days)]) {
      if (near >= earliest && isExpiryDay(underlying, near)) return near;
    }
  }
  return undefined;
}
