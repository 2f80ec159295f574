import type { Schemas } from "#lib/api.ts";
import { $api } from "#lib/api-query.ts";
import { BROKERS, type BrokerFilter, brokerAccountName } from "#lib/books.ts";

export const BROKER_ACCOUNTS_KEY = ["get", "/trades/broker-accounts"] as const;

/** Options of a request, with the token of a reader without a session. */
type RequestInit = { headers?: Record<string, string> };

/** Loads the accounts of the trader with brokers; all components share one request. */
export function useBrokerAccounts(init: RequestInit = {}) {
  return $api.useQuery("get", "/trades/broker-accounts", init);
}

/** Returns the options of a broker filter: the brokers, and each account with a broker that has several. */
export function useBrokerOptions(init?: RequestInit): { value: Exclude<BrokerFilter, "">; label: string }[] {
  const accounts = useBrokerAccounts(init).data?.accounts ?? [];
  return BROKERS.flatMap(({ value, label }) => {
    const own = accounts.filter(({ broker }) => broker === value);
    if (own.every(({ brokerAccount }) => brokerAccount === 1)) return [{ value, label }];
    const each = own.map((account) => ({
      value: `${value}-${account.brokerAccount}` as const,
      label: accountLabel(account),
    }));
    return [{ value, label: `${label}, all accounts` }, ...each];
  });
}

/** Returns the trader's name of an account, or the name of the broker with a number; with the client code. */
export function accountLabel(account: Schemas["BrokerAccount"]): string {
  const name = account.label ?? brokerAccountName(account);
  return account.clientCode ? `${name} (${account.clientCode})` : name;
}

/**
 * Returns the choices of accounts for a tax pack: each person with all their accounts, and each account. Empty if there
 * is only one account.
 */
export function useTaxGroups(init?: RequestInit): { value: string; label: string }[] {
  return taxGroups(useBrokerAccounts(init).data?.accounts ?? []);
}

export function taxGroups(accounts: readonly Schemas["BrokerAccount"][]): { value: string; label: string }[] {
  if (accounts.length < 2) return [];
  const names = accounts.flatMap(({ holder }) => (holder ? [holder] : []));
  const people = names
    .filter((name, index) => names.findIndex((other) => isSameName(name, other)) === index)
    .flatMap((label) => {
      const own = accounts.filter(({ holder }) => holder && isSameName(holder, label));
      return own.length > 1 ? [{ value: own.map(accountKey).join(","), label }] : [];
    });
  return [
    ...people,
    ...accounts.map((account) => ({ value: accountKey(account), label: accountLabel(account) })),
  ];
}

function accountKey({ broker, brokerAccount }: Schemas["BrokerAccount"]): string {
  return brokerAccount === 1 ? broker : `${broker}-${brokerAccount}`;
}

function isSameName(one: string, other: string): boolean {
  const normalise = (name: string) => name.toLowerCase().replace(/\s+/g, " ").trim();
  return normalise(one) === normalise(other);
}
