import type { Schemas } from "#lib/api.ts";
import { date, plural } from "#lib/format.ts";

export type Account = Schemas["Account"];
export type SignIn = Schemas["SignIn"];

/** "just now", "5 minutes ago", "3 hours ago", "2 days ago", "on 3 Nov 2026". */
export function lastSeen(iso: string, now: number): string {
  const minutes = Math.floor((now - Date.parse(iso)) / 60_000);
  if (minutes < 2) return "just now";
  if (minutes < 60) return `${plural(minutes, "minute")} ago`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${plural(hours, "hour")} ago`;
  const days = Math.floor(hours / 24);
  return days < 7 ? `${plural(days, "day")} ago` : `on ${date(iso)}`;
}

/** What became of the other sign-ins. */
export function endedLine(ended: number): string {
  return ended === 0
    ? "No other sign-in was open."
    : `${plural(ended, "other sign-in was", "other sign-ins were")} ended.`;
}
