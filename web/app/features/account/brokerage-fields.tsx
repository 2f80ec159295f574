import { useId } from "react";
import { BROKERAGE_KINDS, EMPTY_PRICE, type PriceDraft } from "#features/account/broker-account-form.ts";
import { Button } from "#ui/button.tsx";
import { DayField } from "#ui/day-field.tsx";
import { Select } from "#ui/select.tsx";
import { TextInput } from "#ui/text-input.tsx";

const MAX_PRICES = 40;

export type BrokerageFieldsProps = { prices: PriceDraft[]; onChange: (prices: PriceDraft[]) => void };

/** Brokerage that a trader agreed with the broker: one entry for each kind of order and first day. */
export function BrokerageFields({ prices, onChange }: BrokerageFieldsProps) {
  return (
    <fieldset className="mt-4">
      <legend className="font-semibold text-data">
        Your own brokerage <span className="font-normal text-ink-2">(optional)</span>
      </legend>
      <p className="text-data text-ink-2">
        Only if you agreed other prices with your broker, such as ₹15 per order or no brokerage.
      </p>
      {prices.map((price, index) => (
        <PriceFields
          // biome-ignore lint/suspicious/noArrayIndexKey: an entry has no identity but its place
          key={index}
          number={index + 1}
          price={price}
          onChange={(changed) => onChange(prices.with(index, changed))}
          onRemove={() => onChange(prices.toSpliced(index, 1))}
        />
      ))}
      {prices.length < MAX_PRICES && (
        <Button
          size="sm"
          variant="quiet"
          className="-ml-4"
          onClick={() => onChange([...prices, EMPTY_PRICE])}
        >
          Add a brokerage
        </Button>
      )}
    </fieldset>
  );
}

type PriceFieldsProps = {
  number: number;
  price: PriceDraft;
  onChange: (price: PriceDraft) => void;
  onRemove: () => void;
};

function PriceFields({ number, price, onChange, onRemove }: PriceFieldsProps) {
  const kindId = useId();
  return (
    <fieldset className="mt-3 border-rule border-l pl-4">
      <legend className="sr-only">Brokerage {number}</legend>
      <div className="grid grid-cols-[repeat(auto-fill,minmax(8rem,1fr))] items-end gap-3">
        <div>
          <label htmlFor={kindId} className="text-data text-ink-2">
            Orders
          </label>
          <Select
            id={kindId}
            value={price.kind}
            options={BROKERAGE_KINDS}
            onChange={({ currentTarget }) => {
              const kind = BROKERAGE_KINDS.find(({ value }) => value === currentTarget.value)?.value;
              if (kind) onChange({ ...price, kind });
            }}
            className="mt-1 text-data"
          />
        </div>
        <DayField
          label="From (optional)"
          value={price.from}
          onChange={(from) => onChange({ ...price, from })}
        />
        <Amount label="₹ per order" value={price.flat} onChange={(flat) => onChange({ ...price, flat })} />
        <Amount
          label="or % of value"
          value={price.percent}
          onChange={(percent) => onChange({ ...price, percent })}
        />
        <Amount label="at most ₹" value={price.max} onChange={(max) => onChange({ ...price, max })} />
        <Button size="sm" variant="quiet" aria-label={`Remove brokerage ${number}`} onClick={onRemove}>
          Remove
        </Button>
      </div>
    </fieldset>
  );
}

function Amount({
  label,
  value,
  onChange,
}: {
  label: string;
  value: string;
  onChange: (value: string) => void;
}) {
  const id = useId();
  return (
    <div>
      <label htmlFor={id} className="text-data text-ink-2">
        {label}
      </label>
      <TextInput
        id={id}
        inputMode="decimal"
        autoComplete="off"
        maxLength={16}
        value={value}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
        className="figures mt-1 text-data"
      />
    </div>
  );
}
