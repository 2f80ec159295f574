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

function accountKey({ broker, brokerAccount }: Schemas["BrokerAccount"]): string {
  return brokerAccount === 1 ? broker : `${broker}-${brokerAccount}`;
}

/** Returns true for the names of one person, whatever their case and spaces. */
export function isSameName(one: string, other: string): boolean {
  const normalise = (name: string) => name.toLowerCase().replace(/\s+/g, " ").trim();
  return normalise(one) === normalise(other);
}
