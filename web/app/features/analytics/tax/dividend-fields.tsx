import { useRef } from "react";
import { flushSync } from "react-dom";
import { AmountInput, Labelled, LabelledInput } from "#features/analytics/tax/labelled-input.tsx";
import {
  type DividendDraft,
  dividendFieldId,
  type EntryAccount,
} from "#features/analytics/tax/tax-entry-draft.ts";
import { accountKey } from "#features/analytics/tax/tax-groups.ts";
import { accountLabel } from "#lib/broker-accounts.ts";
import { Button } from "#ui/button.tsx";
import { Select } from "#ui/select.tsx";

export type DividendFieldsProps = {
  dividends: readonly DividendDraft[];
  /** False if the year has as many figures as the API takes. */
  canAdd: boolean;
  accounts: readonly EntryAccount[];
  firstDay: string;
  lastDay: string;
  mistakeOf: (id: string) => string | undefined;
  onChange: (dividends: DividendDraft[]) => void;
};

/** Dividends of the year, with a button for another. */
export function DividendFields({
  dividends,
  canAdd,
  accounts,
  firstDay,
  lastDay,
  mistakeOf,
  onChange,
}: DividendFieldsProps) {
  const adder = useRef<HTMLButtonElement>(null);

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
        Amounts before tax was deducted. The broker's tax report and AIS list them. Leave out payments for
        shares that a company bought back if the buyback is in your log: they are counted already.
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
      {canAdd && (
        <Button ref={adder} size="sm" variant="quiet" className="mt-2 -ml-4" onClick={add}>
          Add a dividend
        </Button>
      )}
    </section>
  );
}

type DividendEntryProps = Omit<DividendFieldsProps, "dividends" | "canAdd" | "onChange"> & {
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
        <LabelledInput {...field("day")} label="Day of payment" type="date" min={firstDay} max={lastDay} />
        <LabelledInput {...field("name")} label="Company" maxLength={100} autoComplete="off" />
        <AmountInput {...field("amount")} label="Dividend (₹)" />
        <AmountInput {...field("taxDeducted")} label="Tax deducted (₹)" />
        {accounts.length > 1 && (
          <Labelled id={accountId} label="Account">
            <Select
              id={accountId}
              value={dividend.account}
              options={accounts.map((account) => ({
                value: accountKey(account),
                label: accountLabel(account),
              }))}
              onChange={({ currentTarget }) => onChange({ ...dividend, account: currentTarget.value })}
            />
          </Labelled>
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
