import type { ComponentProps } from "react";
import type { UseFormReturn } from "react-hook-form";
import type { EntryFields, ValidEntry } from "#features/journal/entry-schema.ts";
import { Field } from "#ui/field.tsx";
import { TextInput } from "#ui/text-input.tsx";

const PRICES = [
  { name: "buyPrice", label: "Buy price" },
  { name: "sellPrice", label: "Sell price" },
  { name: "targetPrice", label: "Target price" },
  { name: "stopLoss", label: "Stop loss" },
] as const;

const TIMES = [
  { name: "buyDateTime", label: "Buy date and time" },
  { name: "sellDateTime", label: "Sell date and time" },
] as const;

export type EntryForm = UseFormReturn<EntryFields, unknown, ValidEntry>;

/** The fields of a journal trade; their ids are the field names, for the links of the error summary. */
export function EntryFieldset({ form: { register, formState } }: { form: EntryForm }) {
  const { errors } = formState;
  return (
    <div className="grid grid-cols-1 gap-x-5 min-[26rem]:grid-cols-2">
      <Field id="symbol" label="Symbol" error={errors.symbol?.message}>
        {(control) => (
          <TextInput
            {...control}
            {...register("symbol")}
            required
            data-autofocus
            autoComplete="off"
            autoCapitalize="characters"
            spellCheck={false}
          />
        )}
      </Field>
      <Field id="quantity" label="Quantity" error={errors.quantity?.message}>
        {(control) => <NumberInput {...control} {...register("quantity")} />}
      </Field>
      {PRICES.map(({ name, label }) => (
        <Field key={name} id={name} label={label} error={errors[name]?.message}>
          {(control) => <NumberInput {...control} {...register(name)} placeholder="₹" />}
        </Field>
      ))}
      {TIMES.map(({ name, label }) => (
        <Field key={name} id={name} label={label} error={errors[name]?.message}>
          {(control) => (
            <TextInput
              {...control}
              {...register(name)}
              required
              type="datetime-local"
              min="1990-01-01T00:00"
              className="min-w-0 appearance-none px-2.5"
            />
          )}
        </Field>
      ))}
    </div>
  );
}

function NumberInput(props: ComponentProps<typeof TextInput>) {
  return (
    <TextInput
      {...props}
      required
      type="number"
      inputMode="decimal"
      step="any"
      min="0"
      className="text-right"
    />
  );
}
