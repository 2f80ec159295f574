import type { Schemas } from "#lib/api.ts";
import { $api } from "#lib/api-query.ts";
import { BROKERS, type BrokerAccount, type BrokerFilter, brokerAccountName } from "#lib/books.ts";

/** Options of a request, with the token of a reader without a session. */
type RequestInit = { headers?: Record<string, string> };

/** Loads the accounts of the trader with brokers; all components share one request. */
export function useBrokerAccounts(init: RequestInit = {}) {
  return $api.useQuery("get", "/trades/broker-accounts", init);
}

/** Returns the brokers with which the trader has accounts; all of them until the accounts are loaded, or if there are none. */
export function useOwnBrokers(init?: RequestInit): typeof BROKERS {
  const { data } = useBrokerAccounts(init);
  const own = BROKERS.filter(({ value }) => data?.accounts.some(({ broker }) => broker === value));
  return own.length > 0 ? own : BROKERS;
}

/** Returns the options of a broker filter: the trader's brokers, and each account with a broker that has several. */
export function useBrokerOptions(init?: RequestInit): { value: Exclude<BrokerFilter, "">; label: string }[] {
  const accounts = useBrokerAccounts(init).data?.accounts ?? [];
  return useOwnBrokers(init).flatMap(({ value, label }) => {
    const own = accounts.filter(({ broker }) => broker === value);
    if (own.every(({ brokerAccount }) => brokerAccount === 1)) return [{ value, label }];
    const each = own.map((account) => ({
      value: `${value}-${account.brokerAccount}` as const,
      label: accountLabel(account),
    }));
    return [{ value, label: `${label}, all accounts` }, ...each];
  });
}

/** Returns a function that names an account by its label, or by the broker with a number. */
export function useAccountName(init?: RequestInit): (account: BrokerAccount) => string {
  const accounts = useBrokerAccounts(init).data?.accounts;
  return (account) => {
    const { broker, brokerAccount = 1 } = account;
    const saved = accounts?.find((one) => one.broker === broker && one.brokerAccount === brokerAccount);
    return saved?.label ?? brokerAccountName(account);
  };
}

/** Returns the trader's name of an account, or the name of the broker with a number; with the client code. */
export function accountLabel(
  account: BrokerAccount & Pick<Schemas["BrokerAccount"], "label" | "clientCode">,
): string {
  const name = account.label ?? brokerAccountName(account);
  return account.clientCode ? `${name} (${account.clientCode})` : name;
}
