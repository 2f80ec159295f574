import { yearInSentence } from "#features/analytics/tax/loss-texts.ts";
import { accountKey, taxGroups } from "#features/analytics/tax/tax-groups.ts";
import type { Schemas } from "#lib/api.ts";
import { brokerAccountName, brokerFilterQuery, parseBrokerFilter } from "#lib/books.ts";
import { accountLabel } from "#lib/broker-accounts.ts";
import { dateTime, plural } from "#lib/format.ts";

export type TaxLink = Schemas["TaxLink"];
export type TaxLinkUse = TaxLink["uses"][number];

/** Limit of the API for the uses of a link. */
const MAX_USES = 20;

/** Returns a name such as "Tax pack, FY 2025–26, Zerodha". `accounts` are keys such as zerodha-2; empty for all. */
export function taxPackName(
  year: string,
  accounts: readonly string[],
  own: readonly Schemas["BrokerAccount"][],
): string {
  return `Tax pack, ${yearInSentence(year)}, ${accountsText(accounts, own)}`;
}

function accountsText(keys: readonly string[], own: readonly Schemas["BrokerAccount"][]): string {
  if (keys.length === 0) return "all accounts, also those added later";
  const isChosen = (value: string) => value.split(",").sort().join() === keys.toSorted().join();
  const group = taxGroups(own).find(({ value }) => isChosen(value));
  if (group) return keys.length > 1 ? `accounts of ${group.label}` : group.label;
  return keys
    .map((key) => {
      const account = own.find((one) => accountKey(one) === key);
      if (account) return accountLabel(account);
      // The account was deleted since.
      const { broker, ...number } = brokerFilterQuery(parseBrokerFilter(key));
      return broker ? brokerAccountName({ broker, ...number }) : key;
    })
    .join(", ");
}

export type TaxLinkState = "valid" | "expired" | "ended";

/** Returns the state of a link; `now` is in milliseconds since 1970. */
export function taxLinkState({ expiresAt, revokedAt }: TaxLink, now: number): TaxLinkState {
  if (revokedAt) return "ended";
  return Date.parse(expiresAt) > now ? "valid" : "expired";
}

/** Returns a sentence such as "Valid until 20 Dec 2026, 2:35 pm". */
export function validityText(link: TaxLink, now: number): string {
  const state = taxLinkState(link, now);
  if (state === "ended") return `Ended on ${dateTime(link.revokedAt ?? link.expiresAt)}`;
  return `${state === "valid" ? "Valid until" : "Expired on"} ${dateTime(link.expiresAt)}`;
}

/** Summarizes the uses of a link: "Opened 3 times, last on 21 Nov 2026, 10:41 am, Chrome on Windows". */
export function usesText(uses: readonly TaxLinkUse[]): string {
  const [last] = uses;
  if (!last) return "Not opened yet";
  const count = (action: TaxLinkUse["action"]) =>
    uses.reduce((sum, use) => sum + (use.action === action ? use.count : 0), 0);
  const [views, downloads] = [count("view"), count("download")];
  // Older uses than these are not listed.
  const atLeast = uses.length >= MAX_USES ? "at least " : "";
  const texts = [
    views > 0 && `opened ${atLeast}${views === 1 && !atLeast ? "once" : plural(views, "time")}`,
    downloads > 0 && `${atLeast}${plural(downloads, "file")} downloaded`,
    `last on ${dateTime(last.lastAt)}`,
    last.device,
  ];
  const text = texts.filter(Boolean).join(", ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}
