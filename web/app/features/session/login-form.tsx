import { standardSchemaResolver } from "@hookform/resolvers/standard-schema";
import { lazy, Suspense, useState } from "react";
import { useForm } from "react-hook-form";
import { Link } from "react-router";
import { type AuthError, loginError, serverError } from "#features/session/auth-error.ts";
import { AuthErrorDialog } from "#features/session/auth-error-dialog.tsx";
import { type Login, loginSchema } from "#features/session/login-schema.ts";
import { startSession } from "#features/session/session-store.ts";
import { api } from "#lib/api.ts";
import { Button } from "#ui/button.tsx";
import { ErrorSummary } from "#ui/error-summary.tsx";
import { Field } from "#ui/field.tsx";
import { fieldMessages } from "#ui/field-messages.ts";
import { PasswordInput, TextInput } from "#ui/text-input.tsx";

const RestoreAccountDialog = lazy(async () => ({
  default: (await import("#features/session/restore-account-dialog.tsx")).RestoreAccountDialog,
}));

export type LoginFormProps = {
  onLoggedIn: () => void;
  /** Called with the methods of the account if the login needs a second step. */
  onSecondFactor: (methods: string[]) => void;
};

export function LoginForm({ onLoggedIn, onSecondFactor }: LoginFormProps) {
  const [error, setError] = useState<AuthError>();
  const [attempt, setAttempt] = useState(0);
  /** Set after a login to a closed account with the right password. */
  const [closed, setClosed] = useState<{ deletedOn: string; login: Login }>();
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
      const { data, error: problem, response } = await api.POST("/auth/login", { body });
      setClosed(undefined);
      if (problem && "methods" in problem) onSecondFactor(problem.methods);
      else if (problem && "deletedOn" in problem) setClosed({ deletedOn: problem.deletedOn, login });
      else if (!data) setError(loginError(response));
      else if (startSession(data.data.token)) onLoggedIn();
      else setError(serverError());
    } catch (cause) {
      console.error(cause);
      setClosed(undefined);
      setError(serverError());
    }
  }

  async function restore() {
    if (!closed) return;
    setRestoring(true);
    await send(closed.login, true);
    setRestoring(false);
  }

  return (
    // `method` matters before hydration: a GET request would put the password into the URL.
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
      <Field
        id="email"
        label="Email or Phone"
        hint="A phone number works once you have verified it in your account."
        error={errors.email?.message}
      >
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
      <AuthErrorDialog error={error} onClose={() => setError(undefined)} />
      {closed && (
        <Suspense>
          <RestoreAccountDialog
            deletedOn={closed.deletedOn}
            pending={restoring}
            onRestore={restore}
            onClose={() => setClosed(undefined)}
          />
        </Suspense>
      )}
    </form>
  );
}
