import { standardSchemaResolver } from "@hookform/resolvers/standard-schema";
import { useForm } from "react-hook-form";
import { Link } from "react-router";
import * as v from "valibot";
import type { LoginFormProps } from "#features/session/login-form.tsx";
import { startSession } from "#features/session/session-store.ts";
import { api } from "#lib/api.ts";
import { Button } from "#ui/button.tsx";
import { ErrorSummary } from "#ui/error-summary.tsx";
import { Field } from "#ui/field.tsx";
import { FormFailure } from "#ui/form-failure.tsx";
import { PasswordInput } from "#ui/text-input.tsx";
import { useFormSend } from "#ui/use-form-send.ts";

const schema = v.object({ password: v.pipe(v.string(), v.nonEmpty("Enter your password.")) });

type LinkRequest = v.InferOutput<typeof schema>;

/** Connects Google to an existing account with the same email address, after the user enters its password. */
export function LinkGoogleForm({ onLoggedIn, onSecondFactor }: LoginFormProps) {
  const form = useForm<LinkRequest>({
    resolver: standardSchemaResolver(schema),
    defaultValues: { password: "" },
    shouldFocusError: false,
  });
  const { register, formState } = form;
  const { messages, attempt, invalid, failure, setFailure, deliver } = useFormSend(form, ["password"]);

  async function send(body: LinkRequest) {
    const result = await deliver(async () => {
      const reply = await api.POST("/auth/google/link", { body });
      if (reply.error && "methods" in reply.error) onSecondFactor(reply.error.methods);
      if (reply.response.status !== 401) return reply;
      return { ...reply, error: { ...reply.error, detail: "That is not the password of this account." } };
    });
    if (!result?.data) return;
    if (startSession(result.data.data.token)) onLoggedIn();
    else setFailure("That did not work. Please try again.");
  }

  return (
    <form
      method="post"
      noValidate
      className="border-rule border-l pl-4 sm:-ml-8 sm:pl-8"
      onSubmit={form.handleSubmit(send, invalid)}
    >
      <p className="mt-3">
        You already have an account with this email address. Enter its password once to connect Google.
      </p>
      <ErrorSummary errors={messages} attempt={attempt} />
      <Field id="password" label="Password" error={formState.errors.password?.message}>
        {(control) => (
          <PasswordInput {...control} {...register("password")} autoComplete="current-password" />
        )}
      </Field>
      <FormFailure>{failure}</FormFailure>
      <div className="mt-7 flex flex-wrap items-center gap-x-6 gap-y-3">
        <Button type="submit" pending={formState.isSubmitting}>
          Connect Google
        </Button>
        <Link to="/forgot-password" className="link text-ui">
          Forgot password?
        </Link>
      </div>
    </form>
  );
}
