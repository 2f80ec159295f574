import { standardSchemaResolver } from "@hookform/resolvers/standard-schema";
import { lazy, Suspense, useState } from "react";
import { useForm } from "react-hook-form";
import { Link } from "react-router";
import { type Login, loginSchema } from "#features/session/login-schema.ts";
import { loginRefusal, type Refusal, serverError } from "#features/session/refusal.ts";
import { RefusalDialog } from "#features/session/refusal-dialog.tsx";
import { signIn } from "#features/session/session-store.ts";
import { api } from "#lib/api.ts";
import { Button } from "#ui/button.tsx";
import { ErrorSummary } from "#ui/error-summary.tsx";
import { Field } from "#ui/field.tsx";
import { fieldMessages } from "#ui/field-messages.ts";
import { PasswordInput, TextInput } from "#ui/text-input.tsx";

const ClosedDialog = lazy(async () => ({
  default: (await import("#features/session/closed-dialog.tsx")).ClosedDialog,
}));

export function LoginForm({ onSignedIn }: { onSignedIn: () => void }) {
  const [refusal, setRefusal] = useState<Refusal>();
  const [attempt, setAttempt] = useState(0);
  /** The right password of an account that will be erased then. */
  const [closed, setClosed] = useState<{ erasedOn: string; login: Login }>();
  const [restoring, setRestoring] = useState(false);
  const { register, handleSubmit, formState } = useForm<Login>({
    resolver: standardSchemaResolver(loginSchema),
    defaultValues: { email: "", password: "" },
    // The summary takes the focus, not the first field.
    shouldFocusError: false,
  });
  const { errors, isSubmitting } = formState;

  async function send(login: Login, restore = false) {
    try {
      const body = restore ? { ...login, restore } : login;
      const { data, error, response } = await api.POST("/auth/login", { body });
      setClosed(undefined);
      if (error && "erasedOn" in error) setClosed({ erasedOn: error.erasedOn, login });
      else if (!data) setRefusal(loginRefusal(response));
      else if (signIn(data.data.token)) onSignedIn();
      else setRefusal(serverError());
    } catch (error) {
      console.error(error);
      setClosed(undefined);
      setRefusal(serverError());
    }
  }

  async function restore() {
    if (!closed) return;
    setRestoring(true);
    await send(closed.login, true);
    setRestoring(false);
  }

  return (
    // `method` matters before the script runs: a plain GET would put the password into the address.
    <form
      method="post"
      noValidate
      className="border-rule border-l pl-4 sm:-ml-8 sm:pl-8"
      onSubmit={handleSubmit(
        (login) => send(login),
        () => setAttempt((n) => n + 1),
      )}
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
      <div className="mt-7 flex flex-wrap items-center gap-x-6 gap-y-3">
        <Button type="submit" pending={isSubmitting} className="w-full sm:w-auto sm:min-w-36">
          Login
        </Button>
        <Link to="/forgot-password" className="link text-ui">
          Forgot password?
        </Link>
      </div>
      <RefusalDialog refusal={refusal} onClose={() => setRefusal(undefined)} />
      {closed && (
        <Suspense>
          <ClosedDialog
            erasedOn={closed.erasedOn}
            pending={restoring}
            onRestore={restore}
            onClose={() => setClosed(undefined)}
          />
        </Suspense>
      )}
    </form>
  );
}
