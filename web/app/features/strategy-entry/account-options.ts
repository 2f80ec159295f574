import { BROKERS } from "#lib/books.ts";
import { accountLabel, useBrokerAccounts } from "#lib/broker-accounts.ts";

/** Returns the options of the account field: each broker, and the further accounts with it. */
export function useAccountOptions(): { value: string; label: string }[] {
  const accounts = useBrokerAccounts().data?.accounts ?? [];
  return BROKERS.flatMap(({ value, label }) => {
    const own = accounts.filter(({ broker }) => broker === value);
    const first = own.find(({ brokerAccount }) => brokerAccount === 1);
    const further = own.filter(({ brokerAccount }) => brokerAccount !== 1);
    return [
      { value, label: first ? accountLabel(first) : label },
      ...further.map((account) => ({
        value: `${value}-${account.brokerAccount}`,
        label: accountLabel(account),
      })),
    ];
  });
}
