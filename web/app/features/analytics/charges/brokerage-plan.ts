import { api, type Schemas } from "#lib/api.ts";
import { date, inrPaise } from "#lib/format.ts";
import { errorMessage } from "#lib/problem.ts";

type Account = Schemas["BrokerAccount"];
type Settings = Account["settings"];
export type BrokeragePrice = Schemas["BrokeragePrice"];

/** Returns a sentence such as "Set ₹15.00 per order for options from 1 Apr 2026". */
export function planLabel(prices: readonly BrokeragePrice[]): string {
  const [first] = prices;
  const price = first?.flat ? `${inrPaise(first.flat)} per order` : "no brokerage";
  const from = first?.from ? ` from ${date(first.from)}` : "";
  return `Set ${price} for ${prices.map(({ kind }) => kind).join(" and ")}${from}`;
}

/** Returns the settings with the prices added. A price replaces that of the same orders and day. */
export function withPrices(settings: Settings, prices: readonly BrokeragePrice[]): Settings {
  const isReplaced = (old: BrokeragePrice) =>
    prices.some(({ kind, from = "" }) => kind === old.kind && from === (old.from ?? ""));
  const kept = (settings.brokerage ?? []).filter((old) => !isReplaced(old));
  return { ...settings, brokerage: [...kept, ...prices] };
}

/** Saves the settings of an account; returns a message if that fails. */
export async function saveAccountSettings(account: Account, settings: Settings): Promise<string> {
  const { broker, brokerAccount, label = "", holder = "" } = account;
  const { error } = await api.PUT("/trades/broker-accounts/{broker}/{number}", {
    params: { path: { broker, number: brokerAccount } },
    body: { label, holder, settings },
  });
  return error === undefined ? "" : errorMessage(error);
}
