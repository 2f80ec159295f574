import { standardSchemaResolver } from "@hookform/resolvers/standard-schema";
import { useState } from "react";
import { useForm } from "react-hook-form";
import { fieldMessages } from "#features/session/field-messages.ts";
import { type Login, loginSchema } from "#features/session/login-schema.ts";
import { loginRefusal, type Refusal, serverError } from "#features/session/refusal.ts";
import { RefusalDialog } from "#features/session/refusal-dialog.tsx";
import { signIn } from "#features/session/session-store.ts";
import { api } from "#lib/api.ts";
import { Button } from "#ui/button.tsx";
import { ErrorSummary } from "#ui/error-summary.tsx";
import { Field } from "#ui/field.tsx";
import { PasswordInput, TextInput } from "#ui/text-input.tsx";

export function LoginForm({ onSignedIn }: { onSignedIn: () => void }) {
  const [refusal, setRefusal] = useState<Refusal>();
  const [attempt, setAttempt] = useState(0);
  const { register, handleSubmit, formState } = useForm<Login>({
    resolver: standardSchemaResolver(loginSchema),
    defaultValues: { email: "", password: "" },
    // The summary takes the focus, not the first field.
    shouldFocusError: false,
  });
  const { errors, isSubmitting } = formState;

  async function send(body: Login) {
    try {
      const { data, response } = await api.POST("/auth/login", { body });
      if (!data) setRefusal(loginRefusal(response));
      else if (signIn(data.data.token)) onSignedIn();
      else setRefusal(serverError());
    } catch (error) {
      console.error(error);
      setRefusal(serverError());
    }
  }

  return (
    // `method` matters before the script runs: a plain GET would put the password into the address.
    <form
      method="post"
      noValidate
      className="border-rule border-l pl-4 sm:-ml-8 sm:pl-8"
      onSubmit={handleSubmit(send, () => setAttempt((n) => n + 1))}
    >
      <ErrorSummary errors={fieldMessages(errors, ["email", "password"])} attempt={attempt} />
      <Field id="email" label="Email or Phone" error={errors.email?.message}>
        {(control) => (
          <TextInput
            {...control}
            {...register("email")}
            type="text"
            inputMode="email"
            autoComplete="username"
            autoCapitalize="none"
            spellCheck={false}
          />
        )}
      </Field>
      <Field id="password" label="Password" error={errors.password?.message}>
        {(control) => (
          <PasswordInput {...control} {...register("password")} autoComplete="current-password" />
        )}
      </Field>
      <Button type="submit" pending={isSubmitting} className="mt-7 w-full sm:w-auto sm:min-w-36">
        Login
      </Button>
      <RefusalDialog refusal={refusal} onClose={() => setRefusal(undefined)} />
    </form>
  );
}
