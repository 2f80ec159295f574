import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { FRESH, refreshAnalytics } from "#features/analytics/analytics-api.ts";
import { Labelled } from "#features/analytics/tax/labelled-input.tsx";
import {
  LOSS_KINDS,
  type Loss,
  type LossDraft,
  lossMistakes,
  lossYears,
  toDrafts,
  toLosses,
} from "#features/analytics/tax/loss-draft.ts";
import { financialYear } from "#features/analytics/tax/loss-texts.ts";
import { accountKey, isSameName } from "#features/analytics/tax/tax-groups.ts";
import { api, isProblem, type Schemas } from "#lib/api.ts";
import { $api } from "#lib/api-query.ts";
import { accountLabel, useBrokerAccounts } from "#lib/broker-accounts.ts";
import { failureMessage, fieldErrors, NO_ANSWER } from "#lib/problem.ts";
import { Button } from "#ui/button.tsx";
import { ErrorSummary } from "#ui/error-summary.tsx";
import { FormFailure } from "#ui/form-failure.tsx";
import { LoadFailure } from "#ui/load-failure.tsx";
import { Select } from "#ui/select.tsx";
import { TableSkeleton } from "#ui/skeleton.tsx";
import { TextInput } from "#ui/text-input.tsx";

/** Limit of the API. */
const MAX_LOSSES = 100;

type Account = Schemas["BrokerAccount"];

export type LossesFormProps = {
  /** Financial years of the log, newest first. */
  years: readonly string[];
  onCancel: () => void;
  onSave: () => void;
};

/** Loads the losses of the years before the log, then shows them in a form. */
export function LossesForm(props: LossesFormProps) {
  // Not from the cache: the fields keep the losses with which they appear.
  const losses = $api.useQuery("get", "/analytics/tax/losses", {}, { ...FRESH, gcTime: 0 });
  const accounts = useBrokerAccounts();
  if (losses.data && accounts.data) {
    return <LossFields stored={losses.data.losses} accounts={accounts.data.accounts} {...props} />;
  }
  return (
    <div className="px-4 pb-6 sm:px-6">
      {losses.isError || accounts.isError ? (
        <LoadFailure
          error={losses.error ?? accounts.error}
          busy={losses.isFetching || accounts.isFetching}
          onRetry={() => void Promise.all([losses.refetch(), accounts.refetch()])}
        />
      ) : (
        <TableSkeleton label="Loading the losses" columns={3} />
      )}
    </div>
  );
}

type LossFieldsProps = LossesFormProps & { stored: readonly Loss[]; accounts: readonly Account[] };

function LossFields({ stored, accounts, years, onCancel, onSave }: LossFieldsProps) {
  const client = useQueryClient();
  const [drafts, setDrafts] = useState(() => toDrafts(stored));
  const [mistakes, setMistakes] = useState<(string | undefined)[]>([]);
  const [attempt, setAttempt] = useState(0);
  const [failure, setFailure] = useState<string>();
  const [pending, setPending] = useState(false);
  const yearOptions = lossYears(years, haveSeveralHolders(accounts));
  const change = (changed: LossDraft[]) => {
    setDrafts(changed);
    setMistakes([]);
  };

  const adder = useRef<HTMLButtonElement>(null);

  function add() {
    const id = Math.max(-1, ...drafts.map((draft) => draft.id)) + 1;
    const [account] = accounts;
    const added = {
      id,
      kind: "shortTerm" as const,
      year: yearOptions[0] ?? "",
      account: account ? accountKey(account) : "zerodha",
      amount: "",
    };
    flushSync(() => change([...drafts, added]));
    document.getElementById(`loss-${id}-kind`)?.focus();
  }

  function reject(found: (string | undefined)[]): boolean {
    setMistakes(found);
    const isRejected = found.some(Boolean);
    if (isRejected) setAttempt((count) => count + 1);
    return isRejected;
  }

  async function save(event: FormEvent) {
    event.preventDefault();
    setFailure(undefined);
    if (pending || reject(lossMistakes(drafts))) return;
    setPending(true);
    try {
      const { error, response } = await api.PUT("/analytics/tax/losses", {
        body: { losses: toLosses(drafts) },
      });
      if (response.ok) {
        await refreshAnalytics(client);
        onSave();
        return;
      }
      const errors = isProblem(error) ? fieldErrors(error) : [];
      const found = drafts.map(
        (_, index) => errors.find(({ field }) => field.startsWith(`losses.${index}.`))?.message,
      );
      if (!reject(found)) setFailure(failureMessage(response, error));
    } catch (error) {
      console.error(error);
      setFailure(NO_ANSWER);
    } finally {
      setPending(false);
    }
  }

  const errors = drafts.flatMap(({ id }, index) => {
    const message = mistakes[index];
    return message ? [{ id: `loss-${id}-amount`, message: `Loss ${index + 1}: ${message}` }] : [];
  });
  return (
    <form
      noValidate
      onSubmit={(event) => void save(event)}
      className="border-line border-t px-4 py-5 sm:px-6"
    >
      <ErrorSummary errors={errors} attempt={attempt} />
      <h3 className="font-semibold text-ui">Losses from before your log</h3>
      <p className="mt-1 text-data text-ink-2">
        Copy them from Schedule CFL (“Details of losses to be carried forward”) of the return of the year
        before your log begins: one entry for each kind and year of the loss.
      </p>
      {drafts.map((draft, index) => (
        <LossEntry
          key={draft.id}
          number={index + 1}
          draft={draft}
          error={mistakes[index]}
          years={yearOptions}
          accounts={accounts}
          onChange={(changed) => change(drafts.with(index, changed))}
          onRemove={() => {
            flushSync(() => change(drafts.toSpliced(index, 1)));
            adder.current?.focus();
          }}
        />
      ))}
      {drafts.length < MAX_LOSSES && (
        <Button ref={adder} size="sm" variant="quiet" className="mt-3 -ml-4" onClick={add}>
          Add a loss
        </Button>
      )}
      <FormFailure>{failure}</FormFailure>
      <div className="mt-3 flex flex-wrap gap-3">
        <Button type="submit" pending={pending}>
          Save losses
        </Button>
        <Button variant="secondary" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </form>
  );
}

type LossEntryProps = {
  number: number;
  draft: LossDraft;
  error: string | undefined;
  years: readonly string[];
  accounts: readonly Account[];
  onChange: (draft: LossDraft) => void;
  onRemove: () => void;
};

function LossEntry({ number, draft, error, years, accounts, onChange, onRemove }: LossEntryProps) {
  const id = (field: string) => `loss-${draft.id}-${field}`;
  const yearOptions = years.includes(draft.year) ? years : [...years, draft.year];
  const options = accounts.map((account) => ({
    value: accountKey(account),
    label: account.holder ? `${account.holder}, ${accountLabel(account)}` : accountLabel(account),
  }));
  const isListed = options.some(({ value }) => value === draft.account);
  return (
    <fieldset className="mt-4 border-rule border-l pl-4">
      <legend className="sr-only">{`Loss ${number}`}</legend>
      <div className="grid items-end gap-3 sm:grid-cols-2 lg:grid-cols-4">
        <Labelled id={id("kind")} label="Kind of loss">
          <Select
            id={id("kind")}
            value={draft.kind}
            options={LOSS_KINDS}
            onChange={({ currentTarget }) => {
              const kind = LOSS_KINDS.find(({ value }) => value === currentTarget.value)?.value;
              if (kind) onChange({ ...draft, kind });
            }}
          />
        </Labelled>
        <Labelled id={id("year")} label="Year of the loss">
          <Select
            id={id("year")}
            value={draft.year}
            options={yearOptions.map((value) => ({ value, label: financialYear(value) }))}
            onChange={({ currentTarget }) => onChange({ ...draft, year: currentTarget.value })}
          />
        </Labelled>
        {(accounts.length > 1 || !isListed) && (
          <Labelled id={id("account")} label="Whose loss">
            <Select
              id={id("account")}
              value={draft.account}
              options={isListed ? options : [...options, { value: draft.account, label: draft.account }]}
              onChange={({ currentTarget }) => onChange({ ...draft, account: currentTarget.value })}
            />
          </Labelled>
        )}
        <Labelled id={id("amount")} label="Amount left (₹)">
          <TextInput
            id={id("amount")}
            inputMode="decimal"
            autoComplete="off"
            maxLength={24}
            value={draft.amount}
            aria-invalid={error ? true : undefined}
            aria-describedby={error && id("error")}
            onChange={({ currentTarget }) => onChange({ ...draft, amount: currentTarget.value })}
            className="figures"
          />
        </Labelled>
      </div>
      {error && (
        <p id={id("error")} className="mt-2 font-semibold text-data text-loss">
          {error}
        </p>
      )}
      <Button
        size="sm"
        variant="quiet"
        className="-ml-4"
        aria-label={`Remove loss ${number}`}
        onClick={onRemove}
      >
        Remove
      </Button>
    </fieldset>
  );
}

/** Returns true unless all accounts are of one person. */
function haveSeveralHolders([first, ...others]: readonly Account[]): boolean {
  return others.some(({ holder }) => !holder || !first?.holder || !isSameName(holder, first.holder));
}
