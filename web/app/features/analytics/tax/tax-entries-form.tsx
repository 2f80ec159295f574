import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useState } from "react";
import { FRESH, refreshAnalytics } from "#features/analytics/analytics-api.ts";
import { DividendFields } from "#features/analytics/tax/dividend-fields.tsx";
import { AmountInput } from "#features/analytics/tax/labelled-input.tsx";
import { yearInSentence } from "#features/analytics/tax/loss-texts.ts";
import {
  AIS_TOTALS,
  draftMistakes,
  type EntryAccount,
  type Mistake,
  type Person,
  peopleOf,
  REPORT_TOTALS,
  TAX_TOTALS,
  type TaxEntriesDraft,
  type TaxEntry,
  toDraft,
  toEntries,
  totalKey,
  withRemovedAccounts,
} from "#features/analytics/tax/tax-entry-draft.ts";
import { accountKey } from "#features/analytics/tax/tax-groups.ts";
import { PaymentFields, RegimeFields } from "#features/analytics/tax/tax-paid-fields.tsx";
import { useKeptState } from "#features/analytics/use-kept-state.ts";
import { api, isProblem } from "#lib/api.ts";
import { $api } from "#lib/api-query.ts";
import { accountLabel, useBrokerAccounts } from "#lib/broker-accounts.ts";
import { istDate } from "#lib/format.ts";
import { failureMessage, fieldErrors, NO_ANSWER } from "#lib/problem.ts";
import { setUnfinishedWork } from "#lib/unfinished-work.ts";
import { Button } from "#ui/button.tsx";
import { Checkbox } from "#ui/checkbox.tsx";
import { ErrorSummary } from "#ui/error-summary.tsx";
import { FormFailure } from "#ui/form-failure.tsx";
import { LoadFailure } from "#ui/load-failure.tsx";
import { TableSkeleton } from "#ui/skeleton.tsx";

/** Limit of the API. */
const MAX_ENTRIES = 500;

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
      <EntryFields
        stored={entries.data.entries}
        accounts={withRemovedAccounts(accounts.data.accounts, entries.data.entries)}
        {...props}
      />
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

/** Figures as typed, and those that were stored when the typing began. */
type Unsaved = { draft: TaxEntriesDraft; base: readonly TaxEntry[] };

const CHANGED_ELSEWHERE =
  "These figures were changed in another tab or on another device. Save again to replace them with yours, or press Cancel to see them.";

type EntryFieldsProps = TaxEntriesFormProps & {
  stored: readonly TaxEntry[];
  accounts: readonly EntryAccount[];
};

function EntryFields({ stored, accounts, year, onCancel, onSave }: EntryFieldsProps) {
  const client = useQueryClient();
  const people = peopleOf(accounts);
  const [unsaved, keepUnsaved] = useKeptState<Unsaved>(`tax entries ${year}`);
  const { draft, base } = unsaved ?? { draft: toDraft(stored, people), base: stored };
  const [mistakes, setMistakes] = useState<Mistake[]>([]);
  const [attempt, setAttempt] = useState(0);
  const [failure, setFailure] = useState<string>();
  const [pending, setPending] = useState(false);
  const { firstDay, lastDay } = daysOfYear(year);

  function keep(changed: Unsaved | undefined) {
    keepUnsaved(() => changed);
    // Until it is saved or cancelled, also on other pages.
    setUnfinishedWork(`tax entries ${year}`, changed ? `figures of ${yearInSentence(year)}` : "");
  }
  const change = (changed: Partial<TaxEntriesDraft>) => {
    // What is typed during a save would be lost with the saved draft.
    if (pending) return;
    keep({ draft: { ...draft, ...changed }, base });
    setMistakes([]);
  };
  const changeTotal = (key: string, text: string) => change({ totals: { ...draft.totals, [key]: text } });

  function reject(rejected: Mistake[]): boolean {
    setMistakes(rejected);
    // The error summary focuses fields, which a closed section would hide.
    for (const { id } of rejected) document.getElementById(id)?.closest("details")?.setAttribute("open", "");
    if (rejected.length > 0) setAttempt((count) => count + 1);
    return rejected.length > 0;
  }

  async function save(event: FormEvent) {
    event.preventDefault();
    setFailure(undefined);
    if (pending || reject(draftMistakes(draft, firstDay, lastDay))) return;
    setPending(true);
    try {
      const path = { params: { path: { year } } };
      const { data: current, ...read } = await api.GET("/analytics/tax/entries/{year}", path);
      if (!current) {
        setFailure(failureMessage(read.response, read.error));
        return;
      }
      if (JSON.stringify(current.entries) !== JSON.stringify(base)) {
        keep({ draft, base: current.entries });
        setFailure(CHANGED_ELSEWHERE);
        return;
      }
      const { error, response } = await api.PUT("/analytics/tax/entries/{year}", {
        ...path,
        body: { entries: toEntries(draft) },
      });
      if (response.ok) {
        await refreshAnalytics(client);
        keep(undefined);
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
          <AmountInput
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
      <p className="mb-4 text-ui">{`Figures of ${yearInSentence(year)}, for all accounts.`}</p>
      <DividendFields
        dividends={draft.dividends}
        canAdd={toEntries(draft).length < MAX_ENTRIES}
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
        text="For the estimate of your tax: enter the taxable amounts, salary after the standard deduction. An F&O loss reduces interest, rent and dividends, but not salary. In the return, rent of a house has a schedule of its own."
      >
        {people.map((person) => (
          <PersonTotals key={person.account} person={person} isOnly={people.length === 1}>
            {totals(TAX_TOTALS, person.account)}
            <RegimeFields draft={draft} account={person.account} onChange={change} />
            <PaymentFields
              payments={draft.payments}
              account={person.account}
              person={people.length > 1 ? person.name : ""}
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
          {`Save figures of ${yearInSentence(year)}`}
        </Button>
        <Button
          variant="secondary"
          onClick={() => {
            keep(undefined);
            onCancel();
          }}
        >
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
