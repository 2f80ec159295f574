import type { StrategyFields } from "#features/strategy-entry/strategy-fields.ts";
import { normalizeUnderlying } from "#features/strategy-entry/strategy-validation.ts";
import { isExpiryDay, nearestExpiryDay } from "#lib/expiry-calendar.ts";
import { dayHeading } from "#lib/format.ts";
import { isUnderlying } from "#lib/option-symbol.ts";
import { parseDate } from "#lib/period.ts";

export type ExpiryDoubt = {
  text: string;
  /** Nearest expiry day, which the trader may have meant. */
  suggestion: { day: string; label: string } | undefined;
};

/** Returns a doubt about a day on which no contract of the underlying expires, if the lists of expiry days cover it. */
export function checkExpiry(fields: StrategyFields, expiry: string): ExpiryDoubt | undefined {
  const underlying = normalizeUnderlying(fields.underlying);
  if (!isUnderlying(underlying) || !parseDate(expiry) || isExpiryDay(underlying, expiry) !== false) {
    return undefined;
  }
  const text = `No ${underlying} contract expires on ${dayText(expiry)}.`;
  const day = nearestExpiryDay(underlying, expiry, fields.openedAt.slice(0, 10));
  if (!day) return { text: `${text} Please check the date.`, suggestion: undefined };
  const year = ` ${expiry.slice(0, 4)}`;
  const label = dayText(day).replace(year, "");
  return { text: `${text} Did you mean ${label}?`, suggestion: { day, label } };
}

/** Returns a text such as "Wed 2 Dec 2026". */
function dayText(day: string): string {
  return dayHeading(day).replace(",", "");
}
