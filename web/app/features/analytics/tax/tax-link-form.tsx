import { standardSchemaResolver } from "@hookform/resolvers/standard-schema";
import { useEffect } from "react";
import { useForm } from "react-hook-form";
import * as v from "valibot";
import type { TaxLinkAddress } from "#features/analytics/tax/created-tax-link.tsx";
import { api } from "#lib/api.ts";
import { Button } from "#ui/button.tsx";
import { ErrorSummary } from "#ui/error-summary.tsx";
import { Field } from "#ui/field.tsx";
import { FormFailure } from "#ui/form-failure.tsx";
import { Select } from "#ui/select.tsx";
import { TextInput } from "#ui/text-input.tsx";
import { useFormSend } from "#ui/use-form-send.ts";

/** Limit of the API. */
const MAX_RECIPIENT_CHARS = 60;

const TTL_DAYS = ["7", "30", "90", "180"] as const;

const schema = v.object({
  recipient: v.pipe(
    v.string(),
    v.trim(),
    v.nonEmpty("Enter who gets the link."),
    v.maxLength(MAX_RECIPIENT_CHARS, `Use at most ${MAX_RECIPIENT_CHARS} characters.`),
  ),
  ttlDays: v.picklist(TTL_DAYS),
});

type Values = v.InferOutput<typeof schema>;

export type TaxLinkFormProps = {
  /** Financial year of the tax pack, such as 2025-26. */
  year: string;
  /** Accounts of the tax pack, such as zerodha,groww-2; empty for all. */
  accounts: string;
  /** Name of the tax pack. */
  name: string;
  /** True if the accounts belong to several people, so that no losses are set off. */
  needsPerson: boolean;
  onCancel: () => void;
  onCreate: (created: TaxLinkAddress) => void;
};

/** Form for a link to the tax pack that the page shows. */
export function TaxLinkForm({ year, accounts, name, needsPerson, onCancel, onCreate }: TaxLinkFormProps) {
  const form = useForm<Values>({
    resolver: standardSchemaResolver(schema),
    defaultValues: { recipient: "", ttlDays: "30" },
    shouldFocusError: false,
  });
  const { errors, isSubmitting } = form.formState;
  const { messages, attempt, invalid, failure, deliver } = useFormSend(form, ["recipient", "ttlDays"]);
  const { setFocus } = form;
  useEffect(() => setFocus("recipient"), [setFocus]);

  async function send({ recipient, ttlDays }: Values) {
    const body = { recipient, ttlDays: Number(ttlDays), year, ...(accounts && { accounts }) };
    const result = await deliver(() => api.POST("/analytics/tax/links", { body }));
    if (result?.data) onCreate(result.data);
  }

  return (
    <form
      method="post"
      noValidate
      onSubmit={form.handleSubmit(send, invalid)}
      className="border-line border-t px-4 py-5 sm:px-6"
    >
      <ErrorSummary errors={messages} attempt={attempt} />
      <h3 className="font-semibold text-ui">New link</h3>
      <p className="mt-1 text-data">
        Shares: <strong className="font-semibold">{name}</strong>
      </p>
      <p className="mt-1 text-data text-ink-2">
        To share another year or other accounts, choose them at the top of the page.
        {needsPerson &&
          " These accounts belong to several people, so no losses are set off: choose one person to share a complete tax pack."}
      </p>
      <div className="grid gap-x-6 sm:grid-cols-2">
        <Field
          id="recipient"
          label="Who gets it"
          hint="A name for your list, such as Mehta & Co"
          error={errors.recipient?.message}
        >
          {(control) => (
            <TextInput
              {...control}
              {...form.register("recipient")}
              autoComplete="off"
              maxLength={MAX_RECIPIENT_CHARS}
            />
          )}
        </Field>
        <Field id="ttlDays" label="Valid for" error={errors.ttlDays?.message}>
          {(control) => (
            <Select
              {...control}
              {...form.register("ttlDays")}
              options={TTL_DAYS.map((value) => ({ value, label: `${value} days` }))}
            />
          )}
        </Field>
      </div>
      <FormFailure>{failure}</FormFailure>
      <div className="mt-5 flex flex-wrap gap-3">
        <Button type="submit" pending={isSubmitting}>
          Create link
        </Button>
        <Button variant="secondary" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </form>
  );
}
