import { standardSchemaResolver } from "@hookform/resolvers/standard-schema";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { type UseFormReturn, useForm } from "react-hook-form";
import { refreshAnalytics } from "#features/analytics/analytics-api.ts";
import {
  CORPORATE_ACTION_FIELDS,
  type CorporateActionField,
  type CorporateActionFields,
  corporateActionSchema,
  FIELDS_OF_KIND,
  isOptional,
  KINDS,
  type Kind,
  type NewCorporateAction,
  NO_FIELDS,
} from "#features/analytics/corporate-actions/corporate-action-schema.ts";
import { api } from "#lib/api.ts";
import { BROKERS } from "#lib/books.ts";
import { ErrorSummary } from "#ui/error-summary.tsx";
import { Field } from "#ui/field.tsx";
import { FormFailure } from "#ui/form-failure.tsx";
import { Select } from "#ui/select.tsx";
import { TextInput } from "#ui/text-input.tsx";
import { useFormSend } from "#ui/use-form-send.ts";

export type CorporateActionFormProps = {
  /** Id of the form, for the submit button of the dialog. */
  id: string;
  onBusy: (busy: boolean) => void;
  onSaved: () => void;
};

type Form = UseFormReturn<CorporateActionFields, unknown, NewCorporateAction>;

const DATE_LABELS: Readonly<Record<Kind, string>> = {
  split: "Ex-date",
  bonus: "Ex-date",
  merger: "First day without the old share",
  demerger: "Ex-date",
  rename: "First day of the new symbol",
  rights: "Allotment date",
  buyback: "Payment date",
  capitalReturn: "Ex-date",
  fractionPayment: "Payment date",
  contractAdjustment: "First day of the new terms",
  settlement: "Expiry date",
  opening: "Buy date",
  fairValue: "Date",
  noAction: "Date",
};

const HINTS: Readonly<Record<Kind, string>> = {
  split: "From this date, your old shares count as new shares.",
  bonus:
    "Bonus shares are added to the shares you held at the start of the ex-date. They cost nothing and count as held from the allotment date.",
  merger:
    "The company was merged into another one. Your old shares become shares of the other company, with the same buy dates and the same cost.",
  demerger:
    "You got shares of another company in addition. A part of the cost moves to them, with the same buy dates. The company publishes the percentage.",
  rename: "Shares held under the old symbol continue under the new symbol.",
  rights: "Shares you bought from the company, at the price of the rights issue.",
  buyback:
    "Shares that the company bought back from you. For an open offer or a delisting, enter a sale in the log.",
  capitalReturn:
    "The company paid back capital. It reduces the cost of each share. For a dividend, enter nothing.",
  fractionPayment:
    "A merger, demerger, bonus or split left a part of a share. Enter the amount that you received for it.",
  contractAdjustment:
    "The exchange changed the contract, for example for a special dividend. For a split or bonus of the share, enter only that.",
  settlement:
    "Settlement price of one unit: the value of the option, or the price of the future. Enter 0 if it expired worthless.",
  opening: "Shares you held before your first trade here, with their buy price.",
  fairValue: "Highest price of the share on 31 January 2018.",
  noAction: "There was no corporate action.",
};

const SYMBOL_LABELS: Readonly<Partial<Record<Kind, string>>> = {
  rename: "Old symbol",
  merger: "Old symbol",
  contractAdjustment: "Contract",
};

const NEW_SYMBOL_LABELS: Readonly<Partial<Record<Kind, string>>> = {
  merger: "Symbol of the other company",
  demerger: "Symbol of the new company",
  contractAdjustment: "Contract with the new strike",
};

const OLD_SHARES_LABELS: Readonly<Partial<Record<Kind, string>>> = {
  bonus: "Shares held",
  demerger: "Shares held",
  contractAdjustment: "Old units",
};

const PRICE_LABELS: Readonly<Partial<Record<Kind, string>>> = {
  opening: "Buy price",
  settlement: "Settlement price",
  rights: "Issue price",
  buyback: "Price per share",
  capitalReturn: "Amount per share",
  fractionPayment: "Amount received",
  merger: "Cash per old share",
  contractAdjustment: "Price reduced by",
};

export function CorporateActionForm({ id, onBusy, onSaved }: CorporateActionFormProps) {
  const client = useQueryClient();
  const form: Form = useForm<CorporateActionFields, unknown, NewCorporateAction>({
    resolver: standardSchemaResolver(corporateActionSchema),
    defaultValues: NO_FIELDS,
    shouldFocusError: false,
  });
  const { isSubmitting } = form.formState;
  const { messages, attempt, invalid, failure, deliver } = useFormSend(form, CORPORATE_ACTION_FIELDS);
  const kind = KINDS.find(({ value }) => value === form.watch("kind"))?.value ?? "split";

  useEffect(() => onBusy(isSubmitting), [onBusy, isSubmitting]);

  async function send(body: NewCorporateAction) {
    const response = await deliver(() => api.POST("/analytics/adjustments", { body }));
    if (!response?.data) return;
    await refreshAnalytics(client);
    onSaved();
  }

  return (
    <form id={id} method="post" noValidate onSubmit={form.handleSubmit(send, invalid)} className="text-ink">
      <ErrorSummary errors={messages} attempt={attempt} />
      <Field id="kind" label="Type" hint={HINTS[kind]} error={form.formState.errors.kind?.message}>
        {(control) => <Select {...control} {...form.register("kind")} options={KINDS} />}
      </Field>
      <div className="grid gap-x-4 min-[26rem]:grid-cols-2">
        <TextField form={form} name="symbol" label={SYMBOL_LABELS[kind] ?? "Symbol"} />
        <TextField form={form} name="date" label={DATE_LABELS[kind]} type="date" />
        {FIELDS_OF_KIND[kind].map((name) => (
          <KindField key={name} form={form} name={name} kind={kind} />
        ))}
      </div>
      <FormFailure>{failure}</FormFailure>
    </form>
  );
}

/** Field that only some kinds have. */
function KindField({ form, name, kind }: { form: Form; name: CorporateActionField; kind: Kind }) {
  const label = (text: string) => (name !== "kind" && isOptional(kind, name) ? `${text} (optional)` : text);
  switch (name) {
    case "newShares":
      return (
        <TextField
          form={form}
          name={name}
          label={kind === "contractAdjustment" ? "New units" : "New shares"}
          inputMode="numeric"
        />
      );
    case "oldShares":
      return (
        <TextField
          form={form}
          name={name}
          label={OLD_SHARES_LABELS[kind] ?? "Old shares"}
          inputMode="numeric"
        />
      );
    case "quantity":
      return <TextField form={form} name={name} label="Shares" inputMode="numeric" />;
    case "price":
      return (
        <TextField form={form} name={name} label={label(PRICE_LABELS[kind] ?? "Price")} inputMode="decimal" />
      );
    case "newSymbol":
      return <TextField form={form} name={name} label={label(NEW_SYMBOL_LABELS[kind] ?? "New symbol")} />;
    case "allottedOn":
      return <TextField form={form} name={name} label={label("Allotment date")} type="date" />;
    case "costPercent":
      return <TextField form={form} name={name} label="Cost that moves, in %" inputMode="decimal" />;
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
  name: CorporateActionField;
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
