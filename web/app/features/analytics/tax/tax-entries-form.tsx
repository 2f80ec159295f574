import { useQueryClient } from "@tanstack/react-query";
import { type ComponentProps, type FormEvent, type ReactNode, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { FRESH, refreshAnalytics } from "#features/analytics/analytics-api.ts";
import { yearInSentence } from "#features/analytics/tax/loss-texts.ts";
import {
  AIS_TOTALS,
  type DividendDraft,
  dividendFieldId,
  draftMistakes,
  type Mistake,
  type PaymentDraft,
  type Person,
  paymentFieldId,
  peopleOf,
  REPORT_TOTALS,
  TAX_TOTALS,
  type TaxEntriesDraft,
  type TaxEntry,
  toDraft,
  toEntries,
  totalKey,
} from "#features/analytics/tax/tax-entry-draft.ts";
import { accountKey } from "#features/analytics/tax/tax-groups.ts";
import { api, isProblem, type Schemas } from "#lib/api.ts";
import { $api } from "#lib/api-query.ts";
import { accountLabel, useBrokerAccounts } from "#lib/broker-accounts.ts";
import { istDate } from "#lib/format.ts";
import { failureMessage, fieldErrors, NO_ANSWER } from "#lib/problem.ts";
import { Button } from "#ui/button.tsx";
import { Checkbox } from "#ui/checkbox.tsx";
import { ErrorSummary } from "#ui/error-summary.tsx";
import { FormFailure } from "#ui/form-failure.tsx";
import { LoadFailure } from "#ui/load-failure.tsx";
import { Select } from "#ui/select.tsx";
import { TableSkeleton } from "#ui/skeleton.tsx";
import { TextInput } from "#ui/text-input.tsx";

/** Limit of the API. */
const MAX_ENTRIES = 500;

type Account = Schemas["BrokerAccount"];

export type TaxEntriesFormProps = {
  /** Tax year such as 2025-26. */
  year: string;
  onCancel: () => void;
  onSave: () => void;
};

/** Loads the figures that the trader entered for a tax year, then shows them in a form. */
export function TaxEntriesForm(props: TaxEntriesFormProps) {
  const { year } = props;
  // Not from the cache: the fields keep the figures with which they appear.
  const entries = $api.useQuery(
    "get",
    "/analytics/tax/entries/{year}",
    { params: { path: { year } } },
    { ...FRESH, gcTime: 0 },
  );
  const accounts = useBrokerAccounts();
  if (entries.data && accounts.data) {
    return (
      <EntryFields key={year} stored={entries.data.entries} accounts={accounts.data.accounts} {...props} />
    );
  }
  return (
    <div className="px-4 pb-6 sm:px-6">
      {entries.isError || accounts.isError ? (
        <LoadFailure
          error={entries.error ?? accounts.error}
          busy={entries.isFetching || accounts.isFetching}
          onRetry={() => void Promise.all([entries.refetch(), accounts.refetch()])}
        />
      ) : (
        <TableSkeleton label="Loading the figures" columns={3} />
      )}
    </div>
  );
}

type EntryFieldsProps = TaxEntriesFormProps & {
  stored: readonly TaxEntry[];
  accounts: readonly Account[];
};

function EntryFields({ stored, accounts, year, onCancel, onSave }: EntryFieldsProps) {
  const client = useQueryClient();
  const people = peopleOf(accounts);
  const [draft, setDraft] = useState(() => toDraft(stored, people));
  const [mistakes, setMistakes] = useState<Mistake[]>([]);
  const [attempt, setAttempt] = useState(0);
  const [failure, setFailure] = useState<string>();
  const [pending, setPending] = useState(false);
  const { firstDay, lastDay } = daysOfYear(year);

  const change = (changed: Partial<TaxEntriesDraft>) => {
    setDraft({ ...draft, ...changed });
    setMistakes([]);
  };
  const changeTotal = (key: string, text: string) => change({ totals: { ...draft.totals, [key]: text } });

  function reject(rejected: Mistake[]): boolean {
    setMistakes(rejected);
    if (rejected.length > 0) setAttempt((count) => count + 1);
    return rejected.length > 0;
  }

  async function save(event: FormEvent) {
    event.preventDefault();
    setFailure(undefined);
    if (pending || reject(draftMistakes(draft, firstDay, lastDay))) return;
    setPending(true);
    try {
      const { error, response } = await api.PUT("/analytics/tax/entries/{year}", {
        params: { path: { year } },
        body: { entries: toEntries(draft) },
      });
      if (response.ok) {
        await refreshAnalytics(client);
        onSave();
        return;
      }
      const [first] = isProblem(error) ? fieldErrors(error) : [];
      setFailure(first?.message ?? failureMessage(response, error));
    } catch (error) {
      console.error(error);
      setFailure(NO_ANSWER);
    } finally {
      setPending(false);
    }
  }

  const mistakeOf = (id: string) => mistakes.find((mistake) => mistake.id === id)?.message;
  const totals = (kinds: typeof AIS_TOTALS | typeof REPORT_TOTALS | typeof TAX_TOTALS, account: string) => (
    <div className="mt-2 grid gap-3 sm:grid-cols-2 lg:grid-cols-3">
      {kinds.map(({ kind, label }) => {
        const key = totalKey(kind, account);
        return (
          <Amount
            key={key}
            id={key}
            label={label}
            error={mistakeOf(key)}
            value={draft.totals[key] ?? ""}
            onChange={({ currentTarget }) => changeTotal(key, currentTarget.value)}
          />
        );
      })}
    </div>
  );
  return (
    <form
      noValidate
      onSubmit={(event) => void save(event)}
      className="border-line border-t px-4 py-5 sm:px-6"
    >
      <ErrorSummary errors={mistakes} attempt={attempt} />
      <Dividends
        draft={draft}
        accounts={accounts}
        firstDay={firstDay}
        lastDay={lastDay}
        mistakeOf={mistakeOf}
        onChange={(dividends) => change({ dividends })}
      />
      <Section
        title="Annual Information Statement (AIS)"
        text={`Totals of ${yearInSentence(year)}. On the income tax portal: Services, Annual Information Statement, “Sale of securities and units of mutual fund” and “Dividend”. Leave a field empty to skip it.`}
      >
        {people.map((person) => (
          <PersonTotals key={person.account} person={person} isOnly={people.length === 1}>
            {totals(AIS_TOTALS, person.account)}
          </PersonTotals>
        ))}
      </Section>
      <Section
        title="Tax reports of brokers"
        text="Results before charges, as the yearly tax report of the broker has them. Zerodha: Console, Reports, Tax P&L."
      >
        {accounts.map((account) => (
          <details key={accountKey(account)} className="mt-2">
            <summary className="cursor-pointer py-2 text-ui">{accountLabel(account)}</summary>
            {totals(REPORT_TOTALS, accountKey(account))}
          </details>
        ))}
      </Section>
      <Section
        title="Delivered shares as business income"
        text="Only if you trade shares as a business. Profits are then taxed at your slab rate, and all charges are expenses. Choose the same every year, after asking an accountant."
      >
        {accounts.map((account) => {
          const key = accountKey(account);
          const isChosen = draft.business.includes(key);
          return (
            <Checkbox
              key={key}
              checked={isChosen}
              onChange={() =>
                change({
                  business: isChosen
                    ? draft.business.filter((other) => other !== key)
                    : [...draft.business, key],
                })
              }
            >
              {`${accountLabel(account)}, ${yearInSentence(year)}`}
            </Checkbox>
          );
        })}
      </Section>
      <Section
        title="Other income and taxes paid"
        text="For the estimate of your tax: salary after the standard deduction, interest, rent and other taxable income, less your deductions."
      >
        {people.map((person) => (
          <PersonTotals key={person.account} person={person} isOnly={people.length === 1}>
            {totals(TAX_TOTALS, person.account)}
            <Regime draft={draft} account={person.account} onChange={change} />
            <Payments
              payments={draft.payments}
              account={person.account}
              firstDay={firstDay}
              lastDay={lastDay}
              mistakeOf={mistakeOf}
              onChange={(payments) => change({ payments })}
            />
          </PersonTotals>
        ))}
      </Section>
      <FormFailure>{failure}</FormFailure>
      <div className="mt-5 flex flex-wrap gap-3">
        <Button type="submit" pending={pending}>
          Save figures
        </Button>
        <Button variant="secondary" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </form>
  );
}

/** Returns the first day of a tax year, and its last past day. */
function daysOfYear(year: string): { firstDay: string; lastDay: string } {
  const start = Number(year.slice(0, 4));
  const [lastDay = ""] = [istDate(new Date().toISOString()), `${start + 1}-03-31`].toSorted();
  return { firstDay: `${start}-04-01`, lastDay };
}

function Section({ title, text, children }: { title: string; text: string; children: ReactNode }) {
  return (
    <section className="mt-6">
      <h3 className="font-semibold text-ui">{title}</h3>
      <p className="mt-1 text-data text-ink-2">{text}</p>
      {children}
    </section>
  );
}

function PersonTotals({
  person: { name },
  isOnly,
  children,
}: {
  person: Person;
  isOnly: boolean;
  children: ReactNode;
}) {
  if (isOnly) return children;
  return (
    <fieldset className="mt-3">
      <legend className="text-data">{name}</legend>
      {children}
    </fieldset>
  );
}

const AGES = [
  { value: "", label: "Below 60" },
  { value: "age60", label: "60 to 79" },
  { value: "age80", label: "80 or older" },
] as const;

type RegimeProps = {
  draft: TaxEntriesDraft;
  account: string;
  onChange: (changed: Partial<TaxEntriesDraft>) => void;
};

/** Tax regime and age of a person. */
function Regime({ draft: { oldRegime, ages }, account, onChange }: RegimeProps) {
  const isOld = oldRegime.includes(account);
  const ageId = `age.${account}`;
  return (
    <div className="mt-2 grid items-end gap-3 sm:grid-cols-2 lg:grid-cols-3">
      <Checkbox
        checked={isOld}
        onChange={() =>
          onChange({
            oldRegime: isOld ? oldRegime.filter((other) => other !== account) : [...oldRegime, account],
          })
        }
      >
        Old tax regime
      </Checkbox>
      <div>
        <label htmlFor={ageId} className="mb-1 block text-data text-ink-2">
          Age on 31 March
        </label>
        <Select
          id={ageId}
          value={ages[account] ?? ""}
          options={[...AGES]}
          onChange={({ currentTarget: { value } }) => {
            const { [account]: _, ...others } = ages;
            onChange({
              ages: value === "age60" || value === "age80" ? { ...others, [account]: value } : others,
            });
          }}
        />
      </div>
    </div>
  );
}

type PaymentsProps = {
  payments: PaymentDraft[];
  /** Account of the person. */
  account: string;
  firstDay: string;
  lastDay: string;
  mistakeOf: (id: string) => string | undefined;
  onChange: (payments: PaymentDraft[]) => void;
};

/** Payments of advance tax of a person. */
function Payments({ payments, account, firstDay, lastDay, mistakeOf, onChange }: PaymentsProps) {
  const adder = useRef<HTMLButtonElement>(null);

  function add() {
    const id = Math.max(-1, ...payments.map((payment) => payment.id)) + 1;
    flushSync(() => onChange([...payments, { id, account, day: "", amount: "" }]));
    document.getElementById(paymentFieldId(id, "day"))?.focus();
  }

  return (
    <>
      {payments
        .filter((payment) => payment.account === account)
        .map((payment, index) => {
          const field = (name: "day" | "amount") => {
            const id = paymentFieldId(payment.id, name);
            return {
              id,
              value: payment[name],
              error: mistakeOf(id),
              onChange: ({ currentTarget }: { currentTarget: HTMLInputElement }) =>
                onChange(
                  payments.map((other) =>
                    other.id === payment.id ? { ...other, [name]: currentTarget.value } : other,
                  ),
                ),
            };
          };
          return (
            <fieldset key={payment.id} className="mt-3 border-rule border-l pl-4">
              <legend className="sr-only">{`Payment ${index + 1}`}</legend>
              <div className="grid items-start gap-3 sm:grid-cols-2 lg:grid-cols-3">
                <Input
                  {...field("day")}
                  label="Advance tax paid on"
                  type="date"
                  min={firstDay}
                  max={lastDay}
                />
                <Amount {...field("amount")} label="Amount (₹)" />
              </div>
              <Button
                size="sm"
                variant="quiet"
                className="-ml-4"
                aria-label={`Remove payment ${index + 1}`}
                onClick={() => {
                  flushSync(() => onChange(payments.filter((other) => other.id !== payment.id)));
                  adder.current?.focus();
                }}
              >
                Remove
              </Button>
            </fieldset>
          );
        })}
      <Button ref={adder} size="sm" variant="quiet" className="mt-2 -ml-4" onClick={add}>
        Add a payment of advance tax
      </Button>
    </>
  );
}

type DividendsProps = {
  draft: TaxEntriesDraft;
  accounts: readonly Account[];
  firstDay: string;
  lastDay: string;
  mistakeOf: (id: string) => string | undefined;
  onChange: (dividends: DividendDraft[]) => void;
};

function Dividends({ draft, accounts, firstDay, lastDay, mistakeOf, onChange }: DividendsProps) {
  const adder = useRef<HTMLButtonElement>(null);
  const { dividends } = draft;

  function add() {
    const id = Math.max(-1, ...dividends.map((dividend) => dividend.id)) + 1;
    const account = dividends.at(-1)?.account ?? (accounts[0] ? accountKey(accounts[0]) : "zerodha");
    const added = { id, account, day: "", name: "", amount: "", taxDeducted: "" };
    flushSync(() => onChange([...dividends, added]));
    document.getElementById(dividendFieldId(id, "day"))?.focus();
  }

  return (
    <section>
      <h3 className="font-semibold text-ui">Dividends</h3>
      <p className="mt-1 text-data text-ink-2">
        Amounts before tax was deducted. The broker's tax report and AIS list them.
      </p>
      {dividends.map((dividend, index) => (
        <DividendEntry
          key={dividend.id}
          number={index + 1}
          dividend={dividend}
          accounts={accounts}
          firstDay={firstDay}
          lastDay={lastDay}
          mistakeOf={mistakeOf}
          onChange={(changed) => onChange(dividends.with(index, changed))}
          onRemove={() => {
            flushSync(() => onChange(dividends.toSpliced(index, 1)));
            adder.current?.focus();
          }}
        />
      ))}
      {toEntries(draft).length < MAX_ENTRIES && (
        <Button ref={adder} size="sm" variant="quiet" className="mt-2 -ml-4" onClick={add}>
          Add a dividend
        </Button>
      )}
    </section>
  );
}

type DividendEntryProps = Omit<DividendsProps, "draft" | "onChange"> & {
  number: number;
  dividend: DividendDraft;
  onChange: (dividend: DividendDraft) => void;
  onRemove: () => void;
};

function DividendEntry({
  number,
  dividend,
  accounts,
  firstDay,
  lastDay,
  mistakeOf,
  onChange,
  onRemove,
}: DividendEntryProps) {
  const field = (name: "day" | "name" | "amount" | "taxDeducted") => {
    const id = dividendFieldId(dividend.id, name);
    return {
      id,
      value: dividend[name],
      error: mistakeOf(id),
      onChange: ({ currentTarget }: { currentTarget: HTMLInputElement }) =>
        onChange({ ...dividend, [name]: currentTarget.value }),
    };
  };
  const accountId = dividendFieldId(dividend.id, "account");
  return (
    <fieldset className="mt-3 border-rule border-l pl-4">
      <legend className="sr-only">{`Dividend ${number}`}</legend>
      <div className="grid items-start gap-3 sm:grid-cols-2 lg:grid-cols-5">
        <Input {...field("day")} label="Day of payment" type="date" min={firstDay} max={lastDay} />
        <Input {...field("name")} label="Company" maxLength={100} autoComplete="off" />
        <Amount {...field("amount")} label="Dividend (₹)" />
        <Amount {...field("taxDeducted")} label="Tax deducted (₹)" />
        {accounts.length > 1 && (
          <div>
            <label htmlFor={accountId} className="mb-1 block text-data text-ink-2">
              Account
            </label>
            <Select
              id={accountId}
              value={dividend.account}
              options={accounts.map((account) => ({
                value: accountKey(account),
                label: accountLabel(account),
              }))}
              onChange={({ currentTarget }) => onChange({ ...dividend, account: currentTarget.value })}
            />
          </div>
        )}
      </div>
      <Button
        size="sm"
        variant="quiet"
        className="-ml-4"
        aria-label={`Remove dividend ${number}`}
        onClick={onRemove}
      >
        Remove
      </Button>
    </fieldset>
  );
}

type InputProps = ComponentProps<typeof TextInput> & { id: string; label: string; error: string | undefined };

function Amount(props: InputProps) {
  return <Input inputMode="decimal" autoComplete="off" maxLength={24} className="figures" {...props} />;
}

function Input({ id, label, error, ...input }: InputProps) {
  return (
    <div>
      <label htmlFor={id} className="mb-1 block text-data text-ink-2">
        {label}
      </label>
      <TextInput
        {...input}
        id={id}
        aria-invalid={error ? true : undefined}
        aria-describedby={error && `${id}-error`}
      />
      {error && (
        <p id={`${id}-error`} className="mt-1 font-semibold text-data text-loss">
          {error}
        </p>
      )}
    </div>
  );
}
