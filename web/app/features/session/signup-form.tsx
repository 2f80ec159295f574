import { standardSchemaResolver } from "@hookform/resolvers/standard-schema";
import { useState } from "react";
import { useForm } from "react-hook-form";
import { PRIVACY_NOTICE } from "#content/privacy-notice.ts";
import { type AuthError, serverError, signupError } from "#features/session/auth-error.ts";
import { AuthErrorDialog } from "#features/session/auth-error-dialog.tsx";
import { PrivacyNotice } from "#features/session/privacy-notice.tsx";
import { SignupFields } from "#features/session/signup-fields.tsx";
import { isSignupField, SIGNUP_FIELDS, type Signup, signupSchema } from "#features/session/signup-schema.ts";
import { api } from "#lib/api.ts";
import { fieldErrors } from "#lib/problem.ts";
import { Button } from "#ui/button.tsx";
import { ErrorSummary } from "#ui/error-summary.tsx";
import { fieldMessages } from "#ui/field-messages.ts";

export function SignupForm({ onRegistered }: { onRegistered: () => void }) {
  const [error, setError] = useState<AuthError>();
  const [attempt, setAttempt] = useState(0);
  const form = useForm<Signup>({
    resolver: standardSchemaResolver(signupSchema),
    defaultValues: { name: "", email: "", phone: "", password: "", confirmPassword: "" },
    shouldFocusError: false,
  });
  const { errors, isSubmitting } = form.formState;
  const messages = fieldMessages(errors, SIGNUP_FIELDS);

  async function send(body: Signup) {
    try {
      const {
        data,
        error: problem,
        response,
      } = await api.POST("/auth/register", {
        body: { ...body, noticeVersion: PRIVACY_NOTICE.version },
      });
      if (data) return onRegistered();
      for (const { field, message } of fieldErrors(problem)) {
        if (isSignupField(field)) form.setError(field, { type: "server", message });
      }
      setError(signupError(response, problem));
    } catch (cause) {
      console.error(cause);
      setError(serverError());
    }
  }

  /** Shows the error summary once the dialog is closed. */
  function handleDialogClosed() {
    if (messages.length > 0) setAttempt((n) => n + 1);
  }

  return (
    <form
      method="post"
      noValidate
      className="border-rule border-l pl-4 sm:-ml-8 sm:pl-8"
      onSubmit={form.handleSubmit(send, () => setAttempt((n) => n + 1))}
    >
      <ErrorSummary errors={messages} attempt={attempt} />
      <SignupFields form={form} />
      <PrivacyNotice />
      <Button type="submit" pending={isSubmitting} className="mt-7 w-full sm:w-auto sm:min-w-36">
        Sign up
      </Button>
      <AuthErrorDialog error={error} onClose={() => setError(undefined)} onClosed={handleDialogClosed} />
    </form>
  );
}
