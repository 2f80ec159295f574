import { isSameName } from "#features/analytics/tax/tax-groups.ts";
import type { Schemas } from "#lib/api.ts";
import { brokerAccountName } from "#lib/books.ts";

/** Account of a tax pack. */
export type PackAccount = Pick<
  Schemas["BrokerAccount"],
  "broker" | "brokerAccount" | "holder" | "clientCode"
>;

/** Returns the names of the people whose accounts these are; that of the login if no holder is known. */
export function packNames(accounts: readonly PackAccount[], login: string): string {
  const holders = knownHolders(accounts);
  return holders.length > 0 ? holders.join(", ") : login;
}

/** Returns the accounts such as "Zerodha 2 (AB••34)", with the holder if they are of several people. */
export function packAccounts(accounts: readonly PackAccount[]): string {
  const severalPeople = knownHolders(accounts).length > 1;
  const text = (account: PackAccount) =>
    [
      brokerAccountName(account),
      account.clientCode && ` (${account.clientCode})`,
      severalPeople && account.holder && `, ${account.holder}`,
    ]
      .filter(Boolean)
      .join("");
  return accounts.map(text).join(severalPeople ? "; " : ", ");
}

function knownHolders(accounts: readonly PackAccount[]): string[] {
  const names = accounts.flatMap(({ holder }) => (holder ? [holder] : []));
  return names.filter((name, index) => names.findIndex((other) => isSameName(name, other)) === index);
}
