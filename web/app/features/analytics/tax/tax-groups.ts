import type { Schemas } from "#lib/api.ts";
import { accountLabel, useBrokerAccounts } from "#lib/broker-accounts.ts";

/**
 * Returns the choices of accounts for a tax pack: each person with all their accounts, and each account. Empty if there
 * is only one account.
 */
export function useTaxGroups(
  init: Parameters<typeof useBrokerAccounts>[0],
): { value: string; label: string }[] {
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

/** Returns the key of an account, such as zerodha-2. */
export function accountKey({
  broker,
  brokerAccount = 1,
}: {
  broker: string;
  brokerAccount?: number;
}): string {
  return brokerAccount === 1 ? broker : `${broker}-${brokerAccount}`;
}

/** Returns true if the accounts are known to belong to several people, whose losses are apart. */
export function useSeveralPeople(init: Parameters<typeof useBrokerAccounts>[0]): boolean {
  return haveSeveralPeople(useBrokerAccounts(init).data?.accounts ?? []);
}

export function haveSeveralPeople(accounts: readonly Pick<Schemas["BrokerAccount"], "holder">[]): boolean {
  const [first, ...others] = accounts.flatMap(({ holder }) => (holder ? [holder] : []));
  return first !== undefined && others.some((other) => !isSameName(first, other));
}

/** Returns true for the names of one person, whatever their case and spaces. */
export function isSameName(one: string, other: string): boolean {
  const normalise = (name: string) => name.toLowerCase().replace(/\s+/g, " ").trim();
  return normalise(one) === normalise(other);
}
