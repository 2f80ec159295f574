import { useId } from "react";
import type { MappingDraft } from "#features/import/mapping.ts";
import { BROKERS, TRADE_TYPES } from "#lib/books.ts";
import { Select } from "#ui/select.tsx";
import { TextInput } from "#ui/text-input.tsx";

export type MappingOptionsProps = {
  draft: MappingDraft;
  /** True if the words for a purchase and a sale are unusual. */
  asksForSideLabels: boolean;
  onChange: (draft: MappingDraft) => void;
};

const EXCHANGES = ["NSE", "BSE"].map((value) => ({ value, label: value }));
const DATE_ORDERS = [
  { value: "day", label: "Day first, 31-12-2026" },
  { value: "month", label: "Month first, 12-31-2026" },
];
const UNITS = [
  { value: "units", label: "Units" },
  { value: "lots", label: "Lots" },
];

/** Fields that no single column gives: broker, trade type, exchange, date format, words for the sides, and lots. */
export function MappingOptions({ draft, asksForSideLabels, onChange }: MappingOptionsProps) {
  const has = (field: string) => draft.fields.some((chosen) => chosen === field);
  const chooseBroker = (value: string) =>
    onChange({ ...draft, broker: BROKERS.find((broker) => broker.value === value)?.value ?? "" });
  return (
    <div className="mt-5 grid max-w-4xl grid-cols-[repeat(auto-fill,minmax(11rem,1fr))] gap-4">
      <Choice
        label="Broker"
        value={draft.broker}
        placeholder="Choose"
        options={BROKERS}
        onChange={chooseBroker}
      />
      <Choice
        label="Trade type"
        value={draft.tradetype}
        options={TRADE_TYPES}
        onChange={(value) => onChange({ ...draft, tradetype: value === "fno" ? "fno" : "equity" })}
      />
      {!has("exchange") && (
        <Choice
          label="Exchange"
          value={draft.exchange}
          placeholder="Choose"
          options={EXCHANGES}
          onChange={(value) =>
            onChange({ ...draft, exchange: value === "NSE" || value === "BSE" ? value : "" })
          }
        />
      )}
      <Choice
        label="Date format"
        value={draft.dateOrder}
        placeholder="Choose"
        options={DATE_ORDERS}
        onChange={(value) =>
          onChange({ ...draft, dateOrder: value === "day" || value === "month" ? value : "" })
        }
      />
      <Choice
        label="Quantity in"
        value={draft.unit}
        options={UNITS}
        onChange={(value) => onChange({ ...draft, unit: value === "lots" ? "lots" : "units" })}
      />
      {draft.unit === "lots" && !has("lotSize") && (
        <Word
          label="Lot size"
          value={draft.lotSize}
          inputMode="numeric"
          onChange={(lotSize) => onChange({ ...draft, lotSize })}
        />
      )}
      {(asksForSideLabels || draft.buyLabel || draft.sellLabel) && (
        <>
          <Word
            label="Word for buy"
            value={draft.buyLabel}
            onChange={(buyLabel) => onChange({ ...draft, buyLabel })}
          />
          <Word
            label="Word for sell"
            value={draft.sellLabel}
            onChange={(sellLabel) => onChange({ ...draft, sellLabel })}
          />
        </>
      )}
    </div>
  );
}

type ChoiceProps = {
  label: string;
  value: string;
  placeholder?: string;
  options: readonly { value: string; label: string }[];
  onChange: (value: string) => void;
};

function Choice({ label, value, placeholder, options, onChange }: ChoiceProps) {
  const id = useId();
  return (
    <div>
      <label htmlFor={id} className="text-data text-ink-2">
        {label}
      </label>
      <Select
        id={id}
        value={value}
        {...(placeholder && { placeholder })}
        options={options}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
        className="mt-1 text-data"
      />
    </div>
  );
}

type WordProps = {
  label: string;
  value: string;
  inputMode?: "numeric" | "text";
  onChange: (value: string) => void;
};

function Word({ label, value, inputMode = "text", onChange }: WordProps) {
  const id = useId();
  return (
    <div>
      <label htmlFor={id} className="text-data text-ink-2">
        {label}
      </label>
      <TextInput
        id={id}
        value={value}
        inputMode={inputMode}
        maxLength={30}
        autoComplete="off"
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
        className="mt-1 text-data"
      />
    </div>
  );
}
