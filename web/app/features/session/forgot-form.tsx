import { standardSchemaResolver } from "@hookform/resolvers/standard-schema";
import { useForm } from "react-hook-form";
import { type Forgot, forgotSchema } from "#features/session/password-schemas.ts";
import { api } from "#lib/api.ts";
import { Button } from "#ui/button.tsx";
import { ErrorSummary } from "#ui/error-summary.tsx";
import { Field } from "#ui/field.tsx";
import { FormFailure } from "#ui/form-failure.tsx";
import { TextInput } from "#ui/text-input.tsx";
import { useFormSend } from "#ui/use-form-send.ts";

export function ForgotForm({ onSent }: { onSent: (email: string) => void }) {
  const form = useForm<Forgot>({
    resolver: standardSchemaResolver(forgotSchema),
    defaultValues: { email: "" },
    shouldFocusError: false,
  });
  const { register, formState } = form;
  const { messages, attempt, invalid, failure, deliver } = useFormSend(form, ["email"]);

  async function send(body: Forgot) {
    if (await deliver(() => api.POST("/auth/forgot-password", { body }))) onSent(body.email);
  }

  return (
    <form
      method="post"
      noValidate
      className="border-rule border-l pl-4 sm:-ml-8 sm:pl-8"
      onSubmit={form.handleSubmit(send, invalid)}
    >
      <ErrorSummary errors={messages} attempt={attempt} />
      <Field id="email" label="Email" error={formState.errors.email?.message}>
        {(control) => (
          <TextInput
            {...control}
            {...register("email")}
            type="email"
            autoComplete="email"
            autoCapitalize="none"
          />
        )}
      </Field>
      <FormFailure>{failure}</FormFailure>
      <Button type="submit" pending={formState.isSubmitting} className="mt-7 w-full sm:w-auto">
        Send link
      </Button>
    </form>
  );
}
