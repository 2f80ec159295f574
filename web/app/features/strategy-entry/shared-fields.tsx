import { useState } from "react";
import { useAccountOptions } from "#features/strategy-entry/account-options.ts";
import { ExpiryHint, expiryHintId } from "#features/strategy-entry/expiry-hint.tsx";
import { describedBy, fieldId } from "#features/strategy-entry/field-id.ts";
import { readLotSize } from "#features/strategy-entry/lot-sizes.ts";
import { QuantityFields } from "#features/strategy-entry/quantity-fields.tsx";
import { applyTemplate, changeLots } from "#features/strategy-entry/strategy-fields.ts";
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
  return (
    <>
      <div className="grid grid-cols-2 gap-x-4 sm:grid-cols-4">
        <Field id={fieldId("template")} label="Strategy" className="col-span-2">
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
        <AccountField
          value={fields.account}
          disabled={locks.any}
          onChange={(account) => change({ ...fields, account })}
        />
        <UnderlyingField entry={entry} />
        {!getTemplate(fields.template).hasExpiries && <ExpiryField entry={entry} />}
        <QuantityFields entry={entry} />
        <TimeFields entry={entry} />
      </div>
      <p className="mt-2 text-data text-ink-2">
        Nothing closed yet, or all legs expired? Leave the closing time empty. Options that expired are
        settled later under Fix, so do not enter a price of 0. Legs closed at different times? Save the
        entries, then add each exit as a trade.
      </p>
    </>
  );
}

type GroupProps = { entry: StrategyEntry };

function ExpiryField({ entry: { fields, change, errors, locks } }: GroupProps) {
  const id = fieldId("expiry");
  return (
    <>
      <Field id={id} label="Expiry" error={errors.get("expiry")} className="col-span-2">
        {(control) => (
          <TextInput
            {...control}
            aria-describedby={describedBy(control["aria-describedby"], expiryHintId(id))}
            type="date"
            disabled={locks.any}
            value={fields.expiry}
            onChange={({ currentTarget }) => change({ ...fields, expiry: currentTarget.value })}
            className="min-w-0 appearance-none"
          />
        )}
      </Field>
      <ExpiryHint
        control={id}
        fields={fields}
        expiry={locks.any ? undefined : fields.expiry}
        onAccept={(expiry) => change({ ...fields, expiry })}
        className="col-span-2 sm:col-start-3"
      />
    </>
  );
}

function TimeFields({ entry: { fields, change, errors, locks } }: GroupProps) {
  const exitLocked = fields.legs.some((leg) => locks.isLocked(leg, "exit"));
  const times = [
    { name: "openedAt", label: "Opened at", disabled: locks.any },
    { name: "closedAt", label: "Closed at", disabled: exitLocked },
  ] as const;
  return times.map(({ name, label, disabled }) => (
    <Field
      key={name}
      id={fieldId(name)}
      label={label}
      optional={name === "closedAt"}
      aside={<span className="text-data text-ink-3">India time</span>}
      error={errors.get(name)}
      className="col-span-2"
    >
      {(control) => (
        <TextInput
          {...control}
          type="datetime-local"
          min="1990-01-01T00:00"
          disabled={disabled}
          value={fields[name]}
          onChange={({ currentTarget }) => change({ ...fields, [name]: currentTarget.value })}
          className="min-w-0 appearance-none"
        />
      )}
    </Field>
  ));
}

type AccountFieldProps = { value: string; disabled: boolean; onChange: (value: string) => void };

function AccountField({ value, disabled, onChange }: AccountFieldProps) {
  const options = useAccountOptions();
  return (
    <Field id={fieldId("account")} label="Broker account" className="col-span-2">
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

function UnderlyingField({ entry: { fields, change, errors, locks, email } }: GroupProps) {
  const [open, setOpen] = useState(false);
  const typed = normalizeUnderlying(fields.underlying);
  const ownUnderlyings = useSymbols(typed, open).map(symbolUnderlying);
  const suggestions = [...new Set([...OPTION_INDICES, ...ownUnderlyings])].filter(
    (name) => name.startsWith(typed) && name !== typed,
  );
  const { hasExpiries } = getTemplate(fields.template);
  return (
    <Field
      id={fieldId("underlying")}
      label="Underlying"
      error={errors.get("underlying")}
      className={hasExpiries ? "col-span-full" : "col-span-2"}
    >
      {(control) => (
        <SuggestionInput
          {...control}
          value={fields.underlying}
          disabled={locks.any}
          onChange={(underlying) => {
            const remembered = readLotSize(email, normalizeUnderlying(underlying));
            // A size that was typed stays; that of another underlying does not.
            const wasTyped = fields.lotSize !== readLotSize(email, typed);
            const lotSize = remembered || (wasTyped ? fields.lotSize : "");
            change(changeLots(fields, { underlying, lotSize }));
          }}
          suggestions={suggestions}
          open={open}
          onOpen={setOpen}
        />
      )}
    </Field>
  );
}
