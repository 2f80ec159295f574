import { standardSchemaResolver } from "@hookform/resolvers/standard-schema";
import { useForm } from "react-hook-form";
import { type Reset, resetSchema } from "#features/session/password-schemas.ts";
import { api } from "#lib/api.ts";
import { Button } from "#ui/button.tsx";
import { ErrorSummary } from "#ui/error-summary.tsx";
import { Field } from "#ui/field.tsx";
import { FormFailure } from "#ui/form-failure.tsx";
import { PasswordInput } from "#ui/text-input.tsx";
import { useFormSend } from "#ui/use-form-send.ts";

export type ResetFormProps = { token: string; onDone: () => void; onExpired: () => void };

export function ResetForm({ token, onDone, onExpired }: ResetFormProps) {
  const form = useForm<Reset>({
    resolver: standardSchemaResolver(resetSchema),
    defaultValues: { password: "", confirmPassword: "" },
    shouldFocusError: false,
  });
  const { errors, isSubmitting } = form.formState;
  const { messages, attempt, invalid, failure, deliver } = useFormSend(form, ["password", "confirmPassword"]);

  async function send(body: Reset) {
    const result = await deliver(async () => {
      const reply = await api.POST("/auth/reset-password", { body: { ...body, token } });
      if (reply.error?.code === "link_expired") onExpired();
      return reply;
    });
    if (result) onDone();
  }

  return (
    <form
      method="post"
      noValidate
      className="border-rule border-l pl-4 sm:-ml-8 sm:pl-8"
      onSubmit={form.handleSubmit(send, invalid)}
    >
      <ErrorSummary errors={messages} attempt={attempt} />
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
      <Button type="submit" pending={isSubmitting} className="mt-7 w-full sm:w-auto">
        Set new password
      </Button>
    </form>
  );
}
