import { useId } from "react";
import type { Preview } from "#features/import/preview.ts";
import type { Schemas } from "#lib/api.ts";
import { accountLabel, useBrokerAccounts } from "#lib/broker-accounts.ts";
import { Banner } from "#ui/banner.tsx";
import { Select } from "#ui/select.tsx";

type Account = Schemas["BrokerAccount"];

export type AccountChoiceProps = { preview: Preview; onAccount: (account: number) => void };

/** Accounts to which a file can belong: those with its broker, without those that have another client code. */
export function possibleAccounts(preview: Preview, accounts: readonly Account[]): Account[] {
  const { broker, brokerAccount = 1, clientCode, accountMatch } = preview;
  if (accountMatch === "known") return [];
  return accounts.filter(
    (account) =>
      account.broker === broker &&
      (account.brokerAccount === brokerAccount || !clientCode || !account.clientCode),
  );
}

/** Returns true if the file and the account name different persons. */
export function isOtherPerson(preview: Preview, account: Account | undefined): boolean {
  const plain = (name?: string) => (name ?? "").toLowerCase().split(/\s+/).filter(Boolean).join(" ");
  const [stated, holder] = [plain(preview.holder), plain(account?.holder)];
  return stated !== "" && holder !== "" && stated !== holder;
}

/** Choice of the account that a file belongs to, if the trader has several with its broker. */
export function AccountChoice({ preview, onAccount }: AccountChoiceProps) {
  const id = useId();
  const accounts = useBrokerAccounts().data?.accounts ?? [];
  const { brokerAccount = 1 } = preview;
  const own = accounts.find(
    (account) => account.broker === preview.broker && account.brokerAccount === brokerAccount,
  );
  const others = possibleAccounts(preview, accounts).filter((account) => account !== own);
  const options = [
    { value: String(brokerAccount), label: own ? accountLabel(own) : "A new account" },
    ...others.map((account) => ({ value: String(account.brokerAccount), label: accountLabel(account) })),
  ];
  return (
    <>
      {isOtherPerson(preview, own) && (
        <Banner
          tone="warn"
          title={`This file is of ${preview.holder}, and the account of ${own?.holder}`}
          className="mb-4"
        >
          Check that it is the right account. If the file is not yours, press Cancel.
        </Banner>
      )}
      {others.length > 0 && (
        <div className="mb-4 max-w-80">
          <label htmlFor={id} className="font-semibold text-data">
            This file belongs to
          </label>
          <Select
            id={id}
            value={String(brokerAccount)}
            options={options}
            onChange={({ currentTarget }) => onAccount(Number(currentTarget.value))}
            className="mt-1"
          />
        </div>
      )}
    </>
  );
}
