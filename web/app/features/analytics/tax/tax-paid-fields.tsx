import { useRef } from "react";
import { flushSync } from "react-dom";
import { AmountInput, Labelled, LabelledInput } from "#features/analytics/tax/labelled-input.tsx";
import {
  type PaymentDraft,
  paymentFieldId,
  type TaxEntriesDraft,
} from "#features/analytics/tax/tax-entry-draft.ts";
import { Button } from "#ui/button.tsx";
import { Checkbox } from "#ui/checkbox.tsx";
import { Select } from "#ui/select.tsx";

const AGES = [
  { value: "", label: "Below 60" },
  { value: "age60", label: "60 to 79" },
  { value: "age80", label: "80 or older" },
] as const;

type RegimeFieldsProps = {
  draft: TaxEntriesDraft;
  account: string;
  onChange: (changed: Partial<TaxEntriesDraft>) => void;
};

/** Tax regime and age of a person. */
export function RegimeFields({ draft: { oldRegime, ages }, account, onChange }: RegimeFieldsProps) {
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
        I chose the old tax regime
      </Checkbox>
      <Labelled id={ageId} label="Age on 31 March">
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
      </Labelled>
    </div>
  );
}

type PaymentFieldsProps = {
  payments: readonly PaymentDraft[];
  /** Account of the person. */
  account: string;
  /** Name of the person, if there are several. */
  person: string;
  firstDay: string;
  lastDay: string;
  mistakeOf: (id: string) => string | undefined;
  onChange: (payments: PaymentDraft[]) => void;
};

/** Payments of advance tax of a person. */
export function PaymentFields({
  payments,
  account,
  person,
  firstDay,
  lastDay,
  mistakeOf,
  onChange,
}: PaymentFieldsProps) {
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
                <LabelledInput
                  {...field("day")}
                  label="Advance tax paid on"
                  type="date"
                  min={firstDay}
                  max={lastDay}
                />
                <AmountInput {...field("amount")} label="Amount (₹)" />
              </div>
              <Button
                size="sm"
                variant="quiet"
                className="-ml-4"
                aria-label={`Remove payment ${index + 1}${person && ` of ${person}`}`}
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
