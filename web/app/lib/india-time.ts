/** India has one zone and no summer time, so that its clock can be reckoned. */
const OFFSET = 5.5 * 3_600_000;

/** What a `datetime-local` field shows for a moment: India time, wherever the browser is. */
export function toTimeField(iso: string, precision: "second" | "minute" | "day" = "minute"): string {
  const india = new Date(Date.parse(iso) + OFFSET).toISOString();
  return india.slice(0, precision === "second" ? 19 : 16);
}

/** The moment that such a field says: RFC 3339 with the offset of India. Empty when the field says none. */
export function fromTimeField(text: string): string {
  const [, minute, second = ":00"] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d)(:\d\d)?/.exec(text) ?? [];
  return minute ? `${minute}${second}+05:30` : "";
}
