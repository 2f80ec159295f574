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

/** What closed trades can be grouped by, in the order in which one asks. */
export const GROUPINGS: Named<GroupBy> = [
  { value: "symbol", label: "Symbol" },
  { value: "month", label: "Month" },
  { value: "weekday", label: "Weekday" },
  { value: "hour", label: "Hour" },
  { value: "weekdayHour", label: "Hour of a weekday" },
  { value: "side", label: "Side" },
  { value: "segment", label: "Segment" },
  { value: "holding", label: "Time held" },
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

/** Keys of the server that are no words yet. */
const KEYS: { readonly [by in GroupBy]?: Named<string> } = {
  side: SIDES,
  segment: SEGMENTS,
  holding: [
    { value: "minutes", label: "Up to five minutes" },
    { value: "hour", label: "Up to an hour" },
    { value: "day", label: "The same day" },
    { value: "week", label: "Up to a week" },
    { value: "month", label: "Up to a month" },
    { value: "year", label: "Up to a year" },
    { value: "longer", label: "Longer than a year" },
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
  ],
};

export function groupingName(by: GroupBy): string {
  return GROUPINGS.find(({ value }) => value === by)?.label ?? by;
}

/** A group as one calls it: "Wednesday", "9 to 10 am", "Mondays from 9 to 10 am", "March 2026". What is no key of ours is a name already. */
export function groupName(by: GroupBy, key: string): string {
  if (by === "weekday") return weekdayName(Number(key));
  if (by === "hour") return hourName(Number(key));
  if (by === "weekdayHour") return weekdayHourName(Number(key.slice(0, 1)), Number(key.slice(2)));
  if (by === "month") return `${MONTHS[Number(key.slice(5)) - 1] ?? key} ${key.slice(0, 4)}`;
  return KEYS[by]?.find(({ value }) => value === key)?.label ?? key;
}

/** 1 is Monday. */
export function weekdayName(number: number): string {
  return WEEKDAYS[number - 1] ?? "";
}

/** "Mondays from 9 to 10 am" */
export function weekdayHourName(weekday: number, hour: number): string {
  return `${weekdayName(weekday)}s from ${hourName(hour)}`;
}

/** "9 to 10 am", "12 to 1 pm". The exchange opens at 9:15. */
export function hourName(hour: number): string {
  const start = hour % 12 || 12;
  const next = (hour + 1) % 12 || 12;
  return `${start} to ${next} ${hour + 1 < 12 || hour === 23 ? "am" : "pm"}`;
}
