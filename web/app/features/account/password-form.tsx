import { standardSchemaResolver } from "@hookform/resolvers/standard-schema";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useForm } from "react-hook-form";
import { type PasswordChange, passwordSchema } from "#features/account/account-schemas.ts";
import { SESSIONS_KEY } from "#features/account/session-list.tsx";
import { endedSessionsText } from "#features/account/session-text.ts";
import { api } from "#lib/api.ts";
import { Banner } from "#ui/banner.tsx";
import { Button } from "#ui/button.tsx";
import { ErrorSummary } from "#ui/error-summary.tsx";
import { Field } from "#ui/field.tsx";
import { FormFailure } from "#ui/form-failure.tsx";
import { PasswordInput } from "#ui/text-input.tsx";
import { useFormSend } from "#ui/use-form-send.ts";

const FIELDS = ["currentPassword", "password", "confirmPassword"] as const;
const EMPTY: PasswordChange = { currentPassword: "", password: "", confirmPassword: "" };

export function PasswordForm({ email }: { email: string }) {
  const client = useQueryClient();
  const [endedSessions, setEndedSessions] = useState<number>();
  const form = useForm<PasswordChange>({
    resolver: standardSchemaResolver(passwordSchema),
    defaultValues: EMPTY,
    shouldFocusError: false,
  });
  const { errors, isSubmitting } = form.formState;
  const { messages, attempt, invalid, failure, deliver } = useFormSend(form, FIELDS);

  async function send(body: PasswordChange) {
    setEndedSessions(undefined);
    const result = await deliver(() => api.POST("/account/password", { body }));
    if (!result?.data) return;
    form.reset(EMPTY);
    setEndedSessions(result.data.endedSessions);
    void client.invalidateQueries({ queryKey: SESSIONS_KEY });
  }

  return (
    <form
      method="post"
      noValidate
      className="border-rule border-l pl-4 sm:pl-6 lg:-mt-6"
      onSubmit={form.handleSubmit(send, invalid)}
    >
      <ErrorSummary errors={messages} attempt={attempt} />
      {/* Password managers save the new password under this user name. */}
      <input type="email" autoComplete="username" value={email} readOnly hidden />
      <Field id="currentPassword" label="Current password" error={errors.currentPassword?.message}>
        {(control) => (
          <PasswordInput {...control} {...form.register("currentPassword")} autoComplete="current-password" />
        )}
      </Field>
      <Field id="password" label="New password" hint="At least 8 characters" error={errors.password?.message}>
        {(control) => (
          <PasswordInput
            {...control}
            {...form.register("password", { deps: "confirmPassword" })}
            autoComplete="new-password"
          />
        )}
      </Field>
      <Field id="confirmPassword" label="Confirm new password" error={errors.confirmPassword?.message}>
        {(control) => (
          <PasswordInput {...control} {...form.register("confirmPassword")} autoComplete="new-password" />
        )}
      </Field>
      <FormFailure>{failure}</FormFailure>
      <Button type="submit" pending={isSubmitting} className="mt-7">
        Change password
      </Button>
      <div role="status" className="not-empty:mt-5">
        {endedSessions !== undefined && (
          <Banner tone="gain" title="Password changed.">
            {endedSessionsText(endedSessions)}
          </Banner>
        )}
      </div>
    </form>
  );
}
