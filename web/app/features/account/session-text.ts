import { date, plural } from "#lib/format.ts";

/** Returns a relative time: "just now", "5 minutes ago", "3 hours ago", "2 days ago" or "on 3 Nov 2026". */
export function lastSeen(iso: string, now: number): string {
  const minutes = Math.floor((now - Date.parse(iso)) / 60_000);
  if (minutes < 2) return "just now";
  if (minutes < 60) return `${plural(minutes, "minute")} ago`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${plural(hours, "hour")} ago`;
  const days = Math.floor(hours / 24);
  return days < 7 ? `${plural(days, "day")} ago` : `on ${date(iso)}`;
}

/** Returns the confirmation after other sessions were ended. */
export function endedSessionsText(ended: number): string {
  return ended === 0
    ? "No other device was logged in."
    : `${plural(ended, "other device was", "other devices were")} logged out.`;
}
