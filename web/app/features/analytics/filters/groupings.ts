import type { Schemas } from "#lib/api.ts";

export type GroupBy = Schemas["GroupBy"];

type Named<T> = readonly { value: T; label: string }[];

export const SEGMENTS: Named<Schemas["ClosedTradeSegment"]> = [
  { value: "intraday", label: "Intraday" },
  { value: "delivery", label: "Delivery" },
  { value: "futures", label: "Futures" },
  { value: "options", label: "Options" },
];

export const SIDES: Named<Schemas["Direction"]> = [
  { value: "long", label: "Long" },
  { value: "short", label: "Short" },
];

/** Groupings of closed trades, the most common first. */
export const GROUPINGS: Named<GroupBy> = [
  { value: "symbol", label: "Symbol" },
  { value: "month", label: "Month" },
  { value: "weekday", label: "Weekday" },
  { value: "hour", label: "Hour" },
  { value: "weekdayHour", label: "Weekday and hour" },
  { value: "side", label: "Side" },
  { value: "segment", label: "Segment" },
  { value: "holding", label: "Holding time" },
  { value: "instrument", label: "Instrument" },
  { value: "daysToExpiry", label: "Days to expiry" },
  { value: "expiryDay", label: "Expiry day" },
  { value: "setup", label: "Setup" },
  { value: "psychology", label: "Psychology" },
];

const WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const MONTHS = [
  ["January", "February", "March", "April", "May", "June"],
  ["July", "August", "September", "October", "November", "December"],
].flat();

/** Labels of the group keys that the server sends as codes. */
const KEY_LABELS: { readonly [by in GroupBy]?: Named<string> } = {
  side: SIDES,
  segment: SEGMENTS,
  holding: [
    { value: "minutes", label: "Up to 5 minutes" },
    { value: "hour", label: "Up to 1 hour" },
    { value: "day", label: "Same day" },
    { value: "week", label: "Up to 1 week" },
    { value: "month", label: "Up to 1 month" },
    { value: "year", label: "Up to 1 year" },
    { value: "longer", label: "More than 1 year" },
  ],
  daysToExpiry: [
    { value: "0", label: "Expiry day" },
    { value: "1", label: "1 day" },
    { value: "2-3", label: "2 to 3 days" },
    { value: "4-7", label: "4 to 7 days" },
    { value: "8-30", label: "8 to 30 days" },
    { value: "over30", label: "Over 30 days" },
  ],
  expiryDay: [
    { value: "yes", label: "On expiry day" },
    { value: "no", label: "Before expiry day" },
  ],
  instrument: [
    { value: "equity", label: "Shares" },
    { value: "future", label: "Futures" },
    { value: "CE", label: "Calls (CE)" },
    { value: "PE", label: "Puts (PE)" },
    { value: "strategy", label: "Strategies" },
  ],
};

export function groupingName(by: GroupBy): string {
  return GROUPINGS.find(({ value }) => value === by)?.label ?? by;
}

/**
 * Returns the name of a group: "Wednesday", "9 to 10 am", "Mondays from 9 to 10 am", "March 2026". Other keys, such as
 * symbols and setups, are names already.
 */
export function groupName(by: GroupBy, key: string): string {
  if (by === "weekday") return weekdayName(Number(key));
  if (by === "hour") return hourName(Number(key));
  if (by === "weekdayHour") return weekdayHourName(Number(key.slice(0, 1)), Number(key.slice(2)));
  if (by === "month") return `${MONTHS[Number(key.slice(5)) - 1] ?? key} ${key.slice(0, 4)}`;
  return KEY_LABELS[by]?.find(({ value }) => value === key)?.label ?? key;
}

/** Returns the name of a weekday; 1 is Monday. */
export function weekdayName(number: number): string {
  return WEEKDAYS[number - 1] ?? "";
}

/** Returns a name such as "Mondays from 9 to 10 am". */
export function weekdayHourName(weekday: number, hour: number): string {
  return `${weekdayName(weekday)}s from ${hourName(hour)}`;
}

/** Returns the range of an hour: "9 to 10 am", "11 am to 12 pm". */
export function hourName(hour: number): string {
  const next = (hour + 1) % 24;
  const start = `${hour % 12 || 12}${halfOfDay(hour) === halfOfDay(next) ? "" : ` ${halfOfDay(hour)}`}`;
  return `${start} to ${next % 12 || 12} ${halfOfDay(next)}`;
}

function halfOfDay(hour: number): "am" | "pm" {
  return hour < 12 ? "am" : "pm";
}
