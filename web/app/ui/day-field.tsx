import { useId, useState } from "react";
import { parseDate } from "#lib/period.ts";
import { TextInput } from "#ui/text-input.tsx";

export type DayFieldProps = { label: string; value: string; onChange: (value: string) => void };

/** Date field that reports only complete, plausible dates. */
export function DayField({ label, value, onChange }: DayFieldProps) {
  const id = useId();
  const [text, setText] = useState(value);
  const [lastValue, setLastValue] = useState(value);
  if (value !== lastValue) {
    setLastValue(value);
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
        // While a year is typed, the value has years such as 0002, which are not reported.
        onChange={(event) => {
          const typed = event.currentTarget.value;
          setText(typed);
          if (typed === "" || parseDate(typed)) onChange(typed);
        }}
        className="mt-1 min-w-0 px-2.5 text-data"
      />
    </div>
  );
}
