import { api, type Schemas } from "#lib/api.ts";
import type { BrokerAccount } from "#lib/books.ts";
import { date, inrPaise } from "#lib/format.ts";
import { errorMessage } from "#lib/problem.ts";

export type BrokeragePrice = Schemas["BrokeragePrice"];

/** Stored change, with a function that takes it back; it returns a message if that fails. */
export type AppliedChange = { title: string; undo: () => Promise<string> };

const NO_ACCOUNT = "This account does not exist any longer. Reload the page.";

/** Returns a sentence such as "Set ₹15.00 per order for options from 1 Apr 2026 on". */
export function planLabel(prices: readonly BrokeragePrice[]): string {
  return `Set ${planText(prices)}`;
}

function planText(prices: readonly BrokeragePrice[]): string {
  const [first] = prices;
  const price = first?.flat ? `${inrPaise(first.flat)} per order` : "no brokerage";
  const from = first?.from ? ` from ${date(first.from)} on` : "";
  return `${price} for ${prices.map(({ kind }) => kind).join(" and ")}${from}`;
}

/** Returns the prices that new ones replace: those of the same orders that begin with them or until the day `last`. */
export function replacedPrices(
  old: readonly BrokeragePrice[],
  prices: readonly BrokeragePrice[],
  last: string,
): BrokeragePrice[] {
  return old.filter((one) =>
    prices.some(({ kind, from = "" }) => {
      const start = one.from ?? "";
      return kind === one.kind && start >= from && (start === from || start <= last);
    }),
  );
}

/** Stores prices in the settings of an account. Returns what was stored, or a message. */
export async function storePrices(
  account: BrokerAccount,
  prices: readonly BrokeragePrice[],
  last: string,
): Promise<AppliedChange | string> {
  let replaced: readonly BrokeragePrice[] = [];
  const message = await changePrices(account, (old) => {
    replaced = replacedPrices(old, prices, last);
    return [...old.filter((one) => !replaced.includes(one)), ...prices];
  });
  if (message) return message;
  const undo = () =>
    changePrices(account, (now) => {
      const kept = now.filter((one) => !prices.some((price) => isSamePrice(one, price)));
      // A price that was entered since remains.
      const missing = replaced.filter((old) => !kept.some((one) => isOfSameDay(one, old)));
      return [...kept, ...missing];
    });
  return { title: `Brokerage set: ${planText(prices)}`, undo };
}

function isOfSameDay(one: BrokeragePrice, other: BrokeragePrice): boolean {
  return one.kind === other.kind && (one.from ?? "") === (other.from ?? "");
}

function isSamePrice(one: BrokeragePrice, other: BrokeragePrice): boolean {
  return isOfSameDay(one, other) && one.flat === other.flat;
}

/** Changes the agreed prices in the settings that an account has now; returns a message if that fails. */
async function changePrices(
  { broker, brokerAccount = 1 }: BrokerAccount,
  change: (prices: readonly BrokeragePrice[]) => BrokeragePrice[],
): Promise<string> {
  const { data, error } = await api.GET("/trades/broker-accounts");
  if (!data) return errorMessage(error);
  const account = data.accounts.find((one) => one.broker === broker && one.brokerAccount === brokerAccount);
  if (!account) return NO_ACCOUNT;
  const { label = "", holder = "", settings } = account;
  const saved = await api.PUT("/trades/broker-accounts/{broker}/{number}", {
    params: { path: { broker, number: brokerAccount } },
    body: { label, holder, settings: { ...settings, brokerage: change(settings.brokerage ?? []) } },
  });
  return saved.error === undefined ? "" : errorMessage(saved.error);
}
