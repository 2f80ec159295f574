import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useId, useState } from "react";
import { AccountFailure } from "#features/account/account-section.tsx";
import { AccountSkeleton } from "#features/account/account-skeleton.tsx";
import {
  type AccountDraft,
  draftMistake,
  planOptions,
  toBody,
  toDraft,
} from "#features/account/broker-account-form.ts";
import { BrokerageFields } from "#features/account/brokerage-fields.tsx";
import { api, type Schemas } from "#lib/api.ts";
import { brokerAccountName } from "#lib/books.ts";
import { useBrokerAccounts } from "#lib/broker-accounts.ts";
import { plural } from "#lib/format.ts";
import { errorMessage } from "#lib/problem.ts";
import { attachmentName, saveFile } from "#lib/save-file.ts";
import { Button } from "#ui/button.tsx";
import { Checkbox } from "#ui/checkbox.tsx";
import { DayField } from "#ui/day-field.tsx";
import { FormFailure } from "#ui/form-failure.tsx";
import { Select } from "#ui/select.tsx";
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
  const client = useQueryClient();
  const [draft, setDraft] = useState(() => toDraft(account));
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
      // Charges and tax depend on the settings, and the log shows the name.
      void client.invalidateQueries();
    }
  }

  function save(body: ReturnType<typeof toBody> & { clientCode?: string }) {
    return () => api.PUT("/trades/broker-accounts/{broker}/{number}", { params: { path }, body });
  }

  function submit(event: FormEvent) {
    event.preventDefault();
    const mistake = draftMistake(draft);
    setFailure(mistake);
    if (!mistake) void send(save(toBody(draft, account)), "Saved.");
  }

  const facts = [
    account.holder,
    account.clientCode && `client code ${account.clientCode}`,
    plural(account.trades, "trade"),
  ];
  const clearCode = { ...toBody(toDraft(account), account), clientCode: "" };
  return (
    <li className="border-line border-b px-4 py-4 last:border-b-0">
      <form noValidate onSubmit={submit}>
        <p className="text-ui">
          <strong className="font-semibold">{name}</strong>{" "}
          <span className="text-ink-2">{facts.filter(Boolean).join(" · ")}</span>
        </p>
        <AccountFields account={account} draft={draft} onChange={setDraft} />
        <FormFailure>{failure}</FormFailure>
        <div className="mt-3 flex flex-wrap items-center gap-x-4">
          <Button type="submit" variant="secondary" pending={pending} aria-label={`Save ${name}`}>
            Save
          </Button>
          {account.clientCode && (
            <Button
              size="sm"
              variant="quiet"
              onClick={() => void send(save(clearCode), "Client code removed.")}
            >
              Remove client code
            </Button>
          )}
          {account.trades > 0 && (
            <Button
              size="sm"
              variant="quiet"
              aria-label={`Download trades (CSV) of ${name}`}
              onClick={() => void send(() => downloadTrades(account), "Downloaded.")}
            >
              Download trades (CSV)
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
        <p role="status" className="text-data text-ink-2">
          {news}
        </p>
      </form>
    </li>
  );
}

/** Downloads the trades of one account. */
async function downloadTrades({ broker, brokerAccount }: Account): Promise<{ error?: unknown }> {
  const { data, error, response } = await api.GET("/trades/export", {
    params: { query: { format: "csv", broker, brokerAccount } },
    parseAs: "blob",
  });
  if (data) saveFile(attachmentName(response) ?? `tradebahi-${broker}-${brokerAccount}.csv`, data);
  return { error };
}

type AccountFieldsProps = { account: Account; draft: AccountDraft; onChange: (draft: AccountDraft) => void };

function AccountFields({ account, draft, onChange }: AccountFieldsProps) {
  const id = useId();
  const plans = planOptions(account.broker);
  return (
    <>
      <div className="mt-3 grid gap-3 sm:grid-cols-2">
        <LabelledText
          label="Your name for it"
          value={draft.label}
          maxLength={40}
          onChange={(label) => onChange({ ...draft, label })}
        />
        <LabelledText
          label="Account holder"
          value={draft.holder}
          maxLength={100}
          onChange={(holder) => onChange({ ...draft, holder })}
        />
      </div>
      <details className="mt-2">
        <summary className="cursor-pointer py-2 font-semibold text-data text-ink-2 hover:text-ink">
          Charges and dates
        </summary>
        <div className="grid gap-3 sm:grid-cols-2">
          {plans.length > 1 && (
            <div>
              <label htmlFor={id} className="text-data text-ink-2">
                Plan
              </label>
              <Select
                id={id}
                value={draft.plan}
                options={plans}
                onChange={({ currentTarget }) => onChange({ ...draft, plan: currentTarget.value })}
                className="mt-1"
              />
            </div>
          )}
          <DayField
            label="Opened on (optional)"
            value={draft.openedOn}
            onChange={(openedOn) => onChange({ ...draft, openedOn })}
          />
          <DayField
            label="Closed on (optional)"
            value={draft.closedOn}
            onChange={(closedOn) => onChange({ ...draft, closedOn })}
          />
        </div>
        <Checkbox
          checked={draft.womanFirstHolder}
          onChange={({ currentTarget }) => onChange({ ...draft, womanFirstHolder: currentTarget.checked })}
        >
          The first holder is a woman. The depository charges less when shares are sold.
        </Checkbox>
        <BrokerageFields
          prices={draft.brokerage}
          onChange={(brokerage) => onChange({ ...draft, brokerage })}
        />
      </details>
    </>
  );
}

type LabelledTextProps = {
  label: string;
  value: string;
  maxLength: number;
  onChange: (value: string) => void;
};

function LabelledText({ label, value, maxLength, onChange }: LabelledTextProps) {
  const id = useId();
  return (
    <div>
      <label htmlFor={id} className="block font-semibold text-data">
        {label} <span className="font-normal text-ink-2">(optional)</span>
      </label>
      <TextInput
        id={id}
        value={value}
        maxLength={maxLength}
        autoComplete="off"
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
        className="mt-1"
      />
    </div>
  );
}
