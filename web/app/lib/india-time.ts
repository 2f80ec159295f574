/** Offset of India from UTC in milliseconds; India has one time zone and no summer time. */
const OFFSET_MS = 5.5 * 3_600_000;

/** Converts an instant to the value of a `datetime-local` field in India time. */
export function toTimeField(iso: string, precision: "second" | "minute" | "day" = "minute"): string {
  const india = new Date(Date.parse(iso) + OFFSET_MS).toISOString();
  return india.slice(0, precision === "second" ? 19 : 16);
}

/** Converts the value of such a field to RFC 3339 with the offset of India; empty if it is not a date and time. */
export function fromTimeField(text: string): string {
  const [, minute, second = ":00"] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d)(:\d\d)?/.exec(text) ?? [];
  return minute ? `${minute}${second}+05:30` : "";
}
