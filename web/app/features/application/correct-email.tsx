import { standardSchemaResolver } from "@hookform/resolvers/standard-schema";
import { useState } from "react";
import { useForm } from "react-hook-form";
import * as v from "valibot";
import { careersApi } from "#lib/api.ts";
import { focusElement } from "#lib/focus-element.ts";
import { email } from "#lib/person-fields.ts";
import { Button } from "#ui/button.tsx";
import { Field } from "#ui/field.tsx";
import { FormFailure } from "#ui/form-failure.tsx";
import { TextInput } from "#ui/text-input.tsx";
import { useFormSend } from "#ui/use-form-send.ts";

const SCHEMA = v.object({ email });
type EmailForm = v.InferOutput<typeof SCHEMA>;

export type CorrectEmailProps = {
  /** Token of the receipt; null if the address can no longer be corrected. */
  token: string | null;
  email: string;
  onCorrected: (email: string) => void;
};

/** Corrects a mistyped email address once, soon after the application; the receipt is then sent to the new address. */
export function CorrectEmail({ token, email, onCorrected }: CorrectEmailProps) {
  const [open, setOpen] = useState(false);
  const [corrected, setCorrected] = useState(false);
  const form = useForm<EmailForm>({ resolver: standardSchemaResolver(SCHEMA), defaultValues: { email } });
  const { errors, isSubmitting } = form.formState;
  const { failure, deliver } = useFormSend(form, ["email"]);

  async function send(body: EmailForm) {
    const headers = { "Email-Correction-Token": token };
    if (!(await deliver(() => careersApi.PUT("/api/application/email", { headers, body })))) return;
    setCorrected(true);
    onCorrected(body.email);
  }

  if (corrected) {
    return (
      <p ref={focusElement} tabIndex={-1} role="status" className="mt-4 font-medium">
        Email address changed. We are sending the receipt to {email}.
      </p>
    );
  }
  if (!token) return null;
  if (!open) {
    return (
      <Button variant="secondary" onClick={() => setOpen(true)} className="mt-4 max-sm:w-full">
        Wrong email address? Correct it
      </Button>
    );
  }
  return (
    <form method="post" noValidate aria-label="Email address" onSubmit={form.handleSubmit(send)}>
      <Field
        id="email"
        label="Email"
        hint="You can correct it once, within 30 minutes"
        error={errors.email?.message}
      >
        {(control) => (
          <TextInput
            {...control}
            {...form.register("email")}
            type="email"
            inputMode="email"
            autoComplete="email"
            autoCapitalize="none"
            autoFocus
          />
        )}
      </Field>
      <FormFailure>{failure}</FormFailure>
      <Button type="submit" pending={isSubmitting} className="mt-4 max-sm:w-full">
        Send the receipt to this address
      </Button>
    </form>
  );
}
