import { fieldId } from "#features/strategy-entry/field-id.ts";
import { changeLots } from "#features/strategy-entry/strategy-fields.ts";
import type { StrategyEntry } from "#features/strategy-entry/use-strategy-entry.ts";
import { Field } from "#ui/field.tsx";
import { TextInput } from "#ui/text-input.tsx";

const LOT_FIELDS = [
  { name: "lots", label: "Lots" },
  { name: "lotSize", label: "Lot size" },
] as const;

const WHOLE_NUMBER = { type: "number", inputMode: "numeric", step: "1", min: "1" } as const;

/** Quantity of each leg, with a calculator of lots. */
export function QuantityFields({ entry: { fields, change, errors, locks } }: { entry: StrategyEntry }) {
  return (
    <>
      {LOT_FIELDS.map(({ name, label }) => (
        <Field key={name} id={fieldId(name)} label={label} optional>
          {(control) => (
            <TextInput
              {...control}
              {...WHOLE_NUMBER}
              disabled={locks.any}
              value={fields[name]}
              onChange={({ currentTarget }) => change(changeLots(fields, { [name]: currentTarget.value }))}
            />
          )}
        </Field>
      ))}
      <Field
        id={fieldId("quantity")}
        label="Quantity per leg"
        aside={<span className="text-data text-ink-3">lots × lot size</span>}
        error={errors.get("quantity")}
        className="col-span-2"
      >
        {(control) => (
          <TextInput
            {...control}
            {...WHOLE_NUMBER}
            disabled={locks.any}
            value={fields.quantity}
            // A quantity that is entered replaces that of the lots.
            onChange={({ currentTarget }) => change({ ...fields, lots: "", quantity: currentTarget.value })}
          />
        )}
      </Field>
    </>
  );
}
