import type { ComponentProps, ReactNode } from "react";
import { TextInput } from "#ui/text-input.tsx";

/** Small label above a control. */
export function Labelled({ id, label, children }: { id: string; label: string; children: ReactNode }) {
  return (
    <div>
      <label htmlFor={id} className="mb-1 block text-data text-ink-2">
        {label}
      </label>
      {children}
    </div>
  );
}

export type LabelledInputProps = ComponentProps<typeof TextInput> & {
  id: string;
  label: string;
  error: string | undefined;
};

/** Text input with a small label above and its error below. */
export function LabelledInput({ id, label, error, ...input }: LabelledInputProps) {
  return (
    <Labelled id={id} label={label}>
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
    </Labelled>
  );
}

/** Input of an amount in rupees. */
export function AmountInput(props: LabelledInputProps) {
  return (
    <LabelledInput inputMode="decimal" autoComplete="off" maxLength={24} className="figures" {...props} />
  );
}
