import { standardSchemaResolver } from "@hookform/resolvers/standard-schema";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useForm } from "react-hook-form";
import { type Profile, profileSchema } from "#features/account/account-schemas.ts";
import { ACCOUNT_KEY, type Account, useAccount } from "#features/account/use-account.ts";
import { api } from "#lib/api.ts";
import { tenDigits } from "#lib/person-fields.ts";
import { tokenSource } from "#lib/token-source.ts";
import { Button } from "#ui/button.tsx";
import { ErrorSummary } from "#ui/error-summary.tsx";
import { Field } from "#ui/field.tsx";
import { FormFailure } from "#ui/form-failure.tsx";
import { TextInput } from "#ui/text-input.tsx";
import { useFormSend } from "#ui/use-form-send.ts";

export function ProfileForm({ account }: { account: Account }) {
  const client = useQueryClient();
  const { refetch } = useAccount();
  const [saved, setSaved] = useState(false);
  const form = useForm<Profile>({
    resolver: standardSchemaResolver(profileSchema(account.phoneNumber !== "")),
    values: { name: account.name, phone: account.phoneNumber },
    shouldFocusError: false,
  });
  const { errors, isSubmitting, isDirty } = form.formState;
  const { messages, attempt, invalid, failure, deliver } = useFormSend(form, ["name", "phone"]);
  const phone = form.register("phone", {
    onChange: (event) => {
      event.target.value = tenDigits(event.target.value);
    },
  });

  async function send({ name, phone }: Profile) {
    setSaved(false);
    const body = {
      ...(name !== account.name && { name }),
      ...(phone !== account.phoneNumber && { phone }),
    };
    const result = await deliver(() => api.PATCH("/account", { body }));
    if (!result?.data) return;
    client.setQueriesData({ queryKey: ACCOUNT_KEY }, result.data);
    setSaved(true);
    // The top bar shows the name from the token, so the token must be renewed.
    await tokenSource().renew(await tokenSource().freshToken());
    void refetch();
  }

  return (
    <form
      method="post"
      noValidate
      className="border-rule border-l pl-4 sm:pl-6 lg:-mt-6"
      onSubmit={form.handleSubmit(send, invalid)}
      onChange={() => setSaved(false)}
    >
      <ErrorSummary errors={messages} attempt={attempt} />
      <Field id="name" label="Full Name" error={errors.name?.message}>
        {(control) => <TextInput {...control} {...form.register("name")} autoComplete="name" />}
      </Field>
      <Field
        id="phone"
        label="Phone Number"
        hint="10 digits, without +91 or 0"
        error={errors.phone?.message}
        optional={account.phoneNumber === ""}
      >
        {(control) => (
          <TextInput
            {...control}
            {...phone}
            type="tel"
            inputMode="numeric"
            autoComplete="tel-national"
            className="sm:max-w-60"
          />
        )}
      </Field>
      <FormFailure>{failure}</FormFailure>
      <div className="mt-7 flex flex-wrap items-center gap-4">
        <Button type="submit" pending={isSubmitting}>
          Save
        </Button>
        <p role="status" className="text-ink-2 text-ui">
          {saved && !isDirty && "Saved."}
        </p>
      </div>
    </form>
  );
}
