import clsx from "clsx";
import { ExpiryHint, expiryHintId } from "#features/strategy-entry/expiry-hint.tsx";
import { describedBy, fieldId } from "#features/strategy-entry/field-id.ts";
import { changeLeg, type LegFields, shareStrike } from "#features/strategy-entry/strategy-fields.ts";
import { legField } from "#features/strategy-entry/strategy-validation.ts";
import { getTemplate, type Side } from "#features/strategy-entry/templates.ts";
import type { StrategyEntry } from "#features/strategy-entry/use-strategy-entry.ts";
import type { OptionKind } from "#lib/option-symbol.ts";
import { Field } from "#ui/field.tsx";
import { Select } from "#ui/select.tsx";
import { TextInput } from "#ui/text-input.tsx";

const SIDES = [
  { value: "buy", label: "Buy" },
  { value: "sell", label: "Sell" },
] as const satisfies readonly { value: Side; label: string }[];

const KINDS = [
  { value: "CE", label: "Call" },
  { value: "PE", label: "Put" },
] as const satisfies readonly { value: OptionKind; label: string }[];

type LegProps = { entry: StrategyEntry; leg: LegFields; index: number };

/** Inputs of a leg; those of saved trades are disabled. */
export function LegFieldset({ entry, leg, index }: LegProps) {
  const { fields, change, locks } = entry;
  const { hasRatio, hasExpiries } = getTemplate(fields.template);
  const entryLocked = locks.isLocked(leg, "entry");
  const strikeLocked = fields.legs.some(
    (other, at) => shareStrike(fields, index, at) && locks.isLocked(other, "entry"),
  );
  const input = { entry, leg, index };
  // A date takes two columns, so that each row is full.
  const columns = hasRatio ? "sm:grid-cols-4" : hasExpiries ? "sm:grid-cols-5" : "sm:grid-cols-3";
  return (
    <div className={clsx("grid grid-cols-2 gap-x-4", columns)}>
      {fields.template === "custom" && <ContractFields {...input} disabled={entryLocked} />}
      <LegInput
        {...input}
        name="strike"
        label="Strike"
        disabled={entryLocked || strikeLocked}
        className={hasRatio ? "" : "max-sm:col-span-2"}
      />
      {hasRatio && <LegInput {...input} name="ratio" label="Ratio" disabled={entryLocked} />}
      {hasExpiries && (
        <LegInput {...input} name="expiry" label="Expiry" disabled={entryLocked} className="col-span-2" />
      )}
      {hasExpiries && (
        <ExpiryHint
          control={fieldId(legField(index, "expiry"))}
          fields={fields}
          expiry={entryLocked ? undefined : leg.expiry}
          onAccept={(expiry) => change(changeLeg(fields, index, { expiry }))}
          // In two columns below the row of the expiry, otherwise below all fields.
          className="col-span-full sm:order-1"
        />
      )}
      <LegInput {...input} name="entryPrice" label="Entry price" disabled={entryLocked} />
      <LegInput {...input} name="exitPrice" label="Exit price" disabled={locks.isLocked(leg, "exit")} />
      <p id={exitHintId(index)} className="col-span-full mt-2 text-data text-ink-3 sm:order-1 sm:text-right">
        Exit price: leave empty if it is still open or expired.
      </p>
    </div>
  );
}

function exitHintId(index: number): string {
  return `${fieldId(legField(index, "exitPrice"))}-note`;
}

/** Returns the id of the text below the fields that describes a field. */
function noteId(index: number, name: LegInputProps["name"]): string | undefined {
  if (name === "exitPrice") return exitHintId(index);
  return name === "expiry" ? expiryHintId(fieldId(legField(index, name))) : undefined;
}

type LegInputProps = LegProps & {
  name: "strike" | "ratio" | "expiry" | "entryPrice" | "exitPrice";
  label: string;
  disabled: boolean;
  className?: string;
};

function LegInput({ entry, leg, index, name, label, disabled, className = "" }: LegInputProps) {
  const { fields, change, errors } = entry;
  const field = legField(index, name);
  const isDate = name === "expiry";
  const number = { type: "number", min: "0", inputMode: name === "ratio" ? "numeric" : "decimal" } as const;
  return (
    <Field id={fieldId(field)} label={label} error={errors.get(field)} className={className}>
      {(control) => (
        <TextInput
          {...control}
          aria-describedby={describedBy(control["aria-describedby"], noteId(index, name)) || undefined}
          {...(isDate ? { type: "date" } : { ...number, step: name === "ratio" ? "1" : "any" })}
          {...(name.endsWith("Price") && { placeholder: "₹" })}
          aria-label={`Leg ${index + 1}, ${label.toLowerCase()}`}
          disabled={disabled}
          value={leg[name]}
          onChange={({ currentTarget }) => change(changeLeg(fields, index, { [name]: currentTarget.value }))}
          className={isDate ? "min-w-0 appearance-none" : "min-w-0"}
        />
      )}
    </Field>
  );
}

/** Side and kind of a leg of a custom strategy. */
function ContractFields({
  entry: { fields, change },
  leg,
  index,
  disabled,
}: LegProps & { disabled: boolean }) {
  const id = fieldId(legField(index, "strike"));
  return (
    <>
      <Field id={`${id}-side`} label="Side">
        {(control) => (
          <Select
            {...control}
            aria-label={`Leg ${index + 1}, side`}
            disabled={disabled}
            value={leg.side}
            onChange={({ currentTarget }) => {
              const side = SIDES.find(({ value }) => value === currentTarget.value)?.value;
              if (side) change(changeLeg(fields, index, { side }));
            }}
            options={SIDES}
          />
        )}
      </Field>
      <Field id={`${id}-kind`} label="Option">
        {(control) => (
          <Select
            {...control}
            aria-label={`Leg ${index + 1}, option`}
            disabled={disabled}
            value={leg.kind}
            onChange={({ currentTarget }) => {
              const kind = KINDS.find(({ value }) => value === currentTarget.value)?.value;
              if (kind) change(changeLeg(fields, index, { kind }));
            }}
            options={KINDS}
          />
        )}
      </Field>
    </>
  );
}
