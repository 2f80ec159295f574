import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useId, useState } from "react";
import { AccountFailure } from "#features/account/account-section.tsx";
import { AccountSkeleton } from "#features/account/account-skeleton.tsx";
import { api, type Schemas } from "#lib/api.ts";
import { brokerAccountName } from "#lib/books.ts";
import { BROKER_ACCOUNTS_KEY, useBrokerAccounts } from "#lib/broker-accounts.ts";
import { plural } from "#lib/format.ts";
import { errorMessage } from "#lib/problem.ts";
import { Button } from "#ui/button.tsx";
import { FormFailure } from "#ui/form-failure.tsx";
import { TextInput } from "#ui/text-input.tsx";

type Account = Schemas["BrokerAccount"];

/** The accounts with brokers, each with its name, which can be changed. */
export function BrokerAccountList() {
  const { data, error, isFetching, refetch } = useBrokerAccounts();
  if (error) return <AccountFailure error={error} onRetry={() => void refetch()} busy={isFetching} />;
  if (!data) return <AccountSkeleton label="Loading your broker accounts" />;
  if (data.accounts.length === 0) return <p className="text-ink-2 text-ui">None yet. Import a file first.</p>;
  return (
    <ul className="overflow-hidden rounded-panel border border-line bg-surface">
      {data.accounts.map((account) => (
        <AccountEntry key={`${account.broker}-${account.brokerAccount}`} account={account} />
      ))}
    </ul>
  );
}

function AccountEntry({ account }: { account: Account }) {
  const id = useId();
  const client = useQueryClient();
  const [label, setLabel] = useState(account.label ?? "");
  const [pending, setPending] = useState(false);
  const [news, setNews] = useState("");
  const [failure, setFailure] = useState("");
  const name = brokerAccountName(account);
  const path = { broker: account.broker, number: account.brokerAccount };

  async function send(request: () => Promise<{ error?: unknown }>, done: string) {
    setPending(true);
    setNews("");
    setFailure("");
    const failed = await request().then(
      ({ error }) => (error === undefined ? "" : errorMessage(error)),
      () => "No connection. Try again.",
    );
    setPending(false);
    if (failed) setFailure(failed);
    else {
      setNews(done);
      void client.invalidateQueries({ queryKey: BROKER_ACCOUNTS_KEY });
    }
  }

  function save(clientCode?: string) {
    const body = {
      label: label.trim(),
      holder: account.holder ?? "",
      ...(clientCode !== undefined && { clientCode }),
    };
    return () => api.PUT("/trades/broker-accounts/{broker}/{number}", { params: { path }, body });
  }

  function submit(event: FormEvent) {
    event.preventDefault();
    void send(save(), "Saved.");
  }

  const facts = [
    account.holder,
    account.clientCode && `client code ${account.clientCode}`,
    plural(account.trades, "trade"),
  ];
  return (
    <li className="border-line border-b px-4 py-4 last:border-b-0">
      <form noValidate onSubmit={submit}>
        <p className="text-ui">
          <strong className="font-semibold">{name}</strong>{" "}
          <span className="text-ink-2">{facts.filter(Boolean).join(" · ")}</span>
        </p>
        <label htmlFor={id} className="mt-3 block font-semibold text-data">
          Your name for it <span className="font-normal text-ink-2">(optional)</span>
        </label>
        <div className="mt-1 flex flex-wrap gap-3">
          <TextInput
            id={id}
            value={label}
            maxLength={40}
            autoComplete="off"
            onChange={({ currentTarget }) => setLabel(currentTarget.value)}
            className="min-w-0 flex-1 basis-48"
          />
          <Button type="submit" variant="secondary" pending={pending} aria-label={`Save the name of ${name}`}>
            Save
          </Button>
        </div>
        <FormFailure>{failure}</FormFailure>
        <p role="status" className="text-data text-ink-2">
          {news}
        </p>
        <div className="flex flex-wrap gap-x-4">
          {account.clientCode && (
            <Button size="sm" variant="quiet" onClick={() => void send(save(""), "Client code removed.")}>
              Remove client code
            </Button>
          )}
          {account.trades === 0 && (
            <Button
              size="sm"
              variant="quiet"
              onClick={() =>
                void send(
                  () => api.DELETE("/trades/broker-accounts/{broker}/{number}", { params: { path } }),
                  "Account removed.",
                )
              }
            >
              Remove account
            </Button>
          )}
        </div>
      </form>
    </li>
  );
}
