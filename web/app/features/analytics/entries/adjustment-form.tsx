import { standardSchemaResolver } from "@hookform/resolvers/standard-schema";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { type UseFormReturn, useForm } from "react-hook-form";
import { BROKERS } from "#content/books.ts";
import {
  ADJUSTMENT_FIELDS,
  type AdjustmentField,
  type AdjustmentFields,
  ASKED,
  adjustmentSchema,
  KINDS,
  type Kind,
  type NewAdjustment,
  toFields,
} from "#features/analytics/entries/adjustment-schema.ts";
import { refreshAnalytics } from "#features/analytics/entries/refresh.ts";
import { api } from "#lib/api.ts";
import { ErrorSummary } from "#ui/error-summary.tsx";
import { Field } from "#ui/field.tsx";
import { FormFailure } from "#ui/form-failure.tsx";
import { Select } from "#ui/select.tsx";
import { TextInput } from "#ui/text-input.tsx";
import { useFormSend } from "#ui/use-form-send.ts";

export type AdjustmentFormProps = {
  /** The buttons stand outside, and name it. */
  id: string;
  draft: Partial<NewAdjustment>;
  onBusy: (busy: boolean) => void;
  onSaved: () => void;
};

type Form = UseFormReturn<AdjustmentFields, unknown, NewAdjustment>;

const DAY: Readonly<Record<Kind, string>> = {
  split: "Ex-date",
  bonus: "Ex-date",
  rename: "First day of the new symbol",
  settlement: "Expiry",
  opening: "Bought on",
};

const HINTS: Readonly<Record<Kind, string>> = {
  split: "From the start of this day the old shares are counted as new ones.",
  bonus: "Shares added on top of those held at the start of this day.",
  rename: "What was held under the old symbol goes on under the new one.",
  settlement:
    "What one unit was settled at: the value of an option, or the price of a future. 0 is worthless.",
  opening: "Shares that you held before the first trade here, at what they cost.",
};

export function AdjustmentForm({ id, draft, onBusy, onSaved }: AdjustmentFormProps) {
  const client = useQueryClient();
  const form: Form = useForm<AdjustmentFields, unknown, NewAdjustment>({
    resolver: standardSchemaResolver(adjustmentSchema),
    defaultValues: toFields(draft),
    shouldFocusError: false,
  });
  const { isSubmitting } = form.formState;
  const { messages, attempt, invalid, failure, deliver } = useFormSend(form, ADJUSTMENT_FIELDS);
  const kind = KINDS.find(({ value }) => value === form.watch("kind"))?.value ?? "split";

  useEffect(() => onBusy(isSubmitting), [onBusy, isSubmitting]);

  async function send(body: NewAdjustment) {
    const answer = await deliver(() => api.POST("/analytics/adjustments", { body }));
    if (!answer?.data) return;
    await refreshAnalytics(client);
    onSaved();
  }

  return (
    <form id={id} method="post" noValidate onSubmit={form.handleSubmit(send, invalid)} className="text-ink">
      <ErrorSummary errors={messages} attempt={attempt} />
      <Field id="kind" label="What happened" hint={HINTS[kind]} error={form.formState.errors.kind?.message}>
        {(control) => <Select {...control} {...form.register("kind")} options={KINDS} />}
      </Field>
      <div className="grid gap-x-4 min-[26rem]:grid-cols-2">
        <TextField form={form} name="symbol" label={kind === "rename" ? "Old symbol" : "Symbol"} />
        <TextField form={form} name="date" label={DAY[kind]} type="date" />
        {ASKED[kind].map((name) => (
          <Asked key={name} form={form} name={name} kind={kind} />
        ))}
      </div>
      <FormFailure>{failure}</FormFailure>
    </form>
  );
}

function Asked({ form, name, kind }: { form: Form; name: AdjustmentField; kind: Kind }) {
  switch (name) {
    case "newShares":
      return <TextField form={form} name={name} label="New shares" inputMode="numeric" />;
    case "oldShares":
      return (
        <TextField
          form={form}
          name={name}
          label={kind === "bonus" ? "For shares held" : "For old shares"}
          inputMode="numeric"
        />
      );
    case "quantity":
      return <TextField form={form} name={name} label="Shares" inputMode="numeric" />;
    case "price":
      return (
        <TextField
          form={form}
          name={name}
          label={kind === "opening" ? "Price for each" : "Settled at"}
          inputMode="decimal"
        />
      );
    case "newSymbol":
      return <TextField form={form} name={name} label="New symbol" />;
    case "broker":
      return (
        <Field id={name} label="Broker" error={form.formState.errors.broker?.message}>
          {(control) => (
            <Select {...control} {...form.register(name)} options={BROKERS} placeholder="Choose a broker" />
          )}
        </Field>
      );
    default:
      return null;
  }
}

type TextFieldProps = {
  form: Form;
  name: AdjustmentField;
  label: string;
  type?: "text" | "date";
  inputMode?: "numeric" | "decimal";
};

function TextField({ form, name, label, type = "text", inputMode }: TextFieldProps) {
  return (
    <Field id={name} label={label} error={form.formState.errors[name]?.message}>
      {(control) => (
        <TextInput
          {...control}
          {...form.register(name)}
          type={type}
          inputMode={inputMode}
          autoComplete="off"
          autoCapitalize={inputMode ? undefined : "characters"}
        />
      )}
    </Field>
  );
}
