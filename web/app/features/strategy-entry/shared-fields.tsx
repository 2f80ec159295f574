import { useState } from "react";
import { useAccountOptions } from "#features/strategy-entry/account-options.ts";
import { fieldId } from "#features/strategy-entry/field-id.ts";
import { applyTemplate, type StrategyFields } from "#features/strategy-entry/strategy-fields.ts";
import { normalizeUnderlying } from "#features/strategy-entry/strategy-validation.ts";
import { getTemplate, isTemplateName, TEMPLATE_OPTIONS } from "#features/strategy-entry/templates.ts";
import type { StrategyEntry } from "#features/strategy-entry/use-strategy-entry.ts";
import { OPTION_INDICES } from "#lib/expiry-calendar.ts";
import { symbolUnderlying } from "#lib/option-symbol.ts";
import { useSymbols } from "#lib/use-symbols.ts";
import { Field } from "#ui/field.tsx";
import { Select } from "#ui/select.tsx";
import { SuggestionInput } from "#ui/suggestion-input.tsx";
import { TextInput } from "#ui/text-input.tsx";

/** Fields of the whole strategy. */
export function SharedFields({ entry }: { entry: StrategyEntry }) {
  const { fields, change, locks } = entry;
  const set = (changed: Partial<StrategyFields>) => change({ ...fields, ...changed });
  return (
    <>
      <div className="grid gap-x-5 sm:grid-cols-2">
        <Field id={fieldId("template")} label="Strategy">
          {(control) => (
            <Select
              {...control}
              disabled={locks.any}
              value={fields.template}
              onChange={({ currentTarget: { value } }) => {
                if (isTemplateName(value)) change(applyTemplate(fields, value));
              }}
              options={TEMPLATE_OPTIONS}
            />
          )}
        </Field>
        <AccountField value={fields.account} disabled={locks.any} onChange={(account) => set({ account })} />
      </div>
      <ContractFields entry={entry} onChange={set} />
      <TimeFields entry={entry} onChange={set} />
    </>
  );
}

type GroupProps = { entry: StrategyEntry; onChange: (changed: Partial<StrategyFields>) => void };

/** Underlying, expiry and quantity of all legs. */
function ContractFields({ entry: { fields, errors, locks }, onChange }: GroupProps) {
  const { hasExpiries } = getTemplate(fields.template);
  return (
    <div className="grid gap-x-5 sm:grid-cols-3">
      <UnderlyingField
        value={fields.underlying}
        error={errors.get("underlying")}
        disabled={locks.any}
        onChange={(underlying) => onChange({ underlying })}
      />
      {!hasExpiries && (
        <Field id={fieldId("expiry")} label="Expiry" error={errors.get("expiry")}>
          {(control) => (
            <TextInput
              {...control}
              type="date"
              disabled={locks.any}
              value={fields.expiry}
              onChange={({ currentTarget }) => onChange({ expiry: currentTarget.value })}
              className="min-w-0 appearance-none"
            />
          )}
        </Field>
      )}
      <Field
        id={fieldId("quantity")}
        label="Quantity per leg"
        aside={<span className="text-data text-ink-3">units, not lots</span>}
        error={errors.get("quantity")}
      >
        {(control) => (
          <TextInput
            {...control}
            type="number"
            inputMode="numeric"
            step="1"
            min="1"
            disabled={locks.any}
            value={fields.quantity}
            onChange={({ currentTarget }) => onChange({ quantity: currentTarget.value })}
          />
        )}
      </Field>
    </div>
  );
}

function TimeFields({ entry: { fields, errors, locks }, onChange }: GroupProps) {
  const exitLocked = fields.legs.some((leg) => locks.isLocked(leg, "exit"));
  const times = [
    { name: "openedAt", label: "Opened at", disabled: locks.any },
    { name: "closedAt", label: "Closed at", disabled: exitLocked },
  ] as const;
  return (
    <>
      <div className="grid gap-x-5 sm:grid-cols-2">
        {times.map(({ name, label, disabled }) => (
          <Field
            key={name}
            id={fieldId(name)}
            label={label}
            optional={name === "closedAt"}
            aside={<span className="text-data text-ink-3">India time</span>}
            error={errors.get(name)}
          >
            {(control) => (
              <TextInput
                {...control}
                type="datetime-local"
                min="1990-01-01T00:00"
                disabled={disabled}
                value={fields[name]}
                onChange={({ currentTarget }) => onChange({ [name]: currentTarget.value })}
                className="min-w-0 appearance-none px-2.5"
              />
            )}
          </Field>
        ))}
      </div>
      <p className="mt-2 text-data text-ink-2">
        Still open, or expired? Leave the closing time and the exit prices empty; the settlement of expired
        options is entered under Fix. Legs closed at different times? Save the entries, then add each exit as
        a trade.
      </p>
    </>
  );
}

type ValueProps = { value: string; disabled: boolean; onChange: (value: string) => void };

function AccountField({ value, disabled, onChange }: ValueProps) {
  const options = useAccountOptions();
  return (
    <Field id={fieldId("account")} label="Broker account">
      {(control) => (
        <Select
          {...control}
          disabled={disabled}
          value={value}
          onChange={({ currentTarget }) => onChange(currentTarget.value)}
          options={options}
        />
      )}
    </Field>
  );
}

function UnderlyingField({ error, onChange, ...rest }: ValueProps & { error: string | undefined }) {
  const [open, setOpen] = useState(false);
  const typed = normalizeUnderlying(rest.value);
  const ownUnderlyings = useSymbols(typed, open).map(symbolUnderlying);
  const suggestions = [...new Set([...OPTION_INDICES, ...ownUnderlyings])].filter(
    (name) => name.startsWith(typed) && name !== typed,
  );
  return (
    <Field id={fieldId("underlying")} label="Underlying" error={error}>
      {(control) => (
        <SuggestionInput
          {...control}
          {...rest}
          onChange={onChange}
          suggestions={suggestions}
          open={open}
          onOpen={setOpen}
        />
      )}
    </Field>
  );
}
