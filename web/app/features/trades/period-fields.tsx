import { useId, useState } from "react";
import type { FiltersProps } from "#features/trades/filter-bar.tsx";
import { day, withDay } from "#features/trades/log-view.ts";
import { TextInput } from "#ui/text-input.tsx";

/** The first and the last day; each may stay open. */
export function PeriodFields({ view, onChange }: FiltersProps) {
  return (
    <fieldset className="grid grid-cols-1 gap-3 min-[22rem]:grid-cols-2">
      <legend className="mb-1.5 font-semibold text-ui">Period</legend>
      <DayField label="From" value={view.from} onChange={(value) => onChange(withDay(view, "from", value))} />
      <DayField label="To" value={view.to} onChange={(value) => onChange(withDay(view, "to", value))} />
    </fieldset>
  );
}

type DayFieldProps = { label: string; value: string; onChange: (value: string) => void };

function DayField({ label, value, onChange }: DayFieldProps) {
  const id = useId();
  const [text, setText] = useState(value);
  const [known, setKnown] = useState(value);
  if (value !== known) {
    setKnown(value);
    setText(value);
  }
  return (
    <div className="min-w-0">
      <label htmlFor={id} className="text-data text-ink-2">
        {label}
      </label>
      <TextInput
        id={id}
        type="date"
        min="1990-01-01"
        max="2099-12-31"
        value={text}
        // While a year is typed, the field holds years such as 0002: only days that can be meant count.
        onChange={(event) => {
          const typed = event.currentTarget.value;
          setText(typed);
          if (typed === "" || day(typed)) onChange(typed);
        }}
        className="mt-1 min-w-0 px-2.5 text-data"
      />
    </div>
  );
}
