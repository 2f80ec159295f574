import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useForm } from "react-hook-form";
import { ACCOUNT_KEY, type Account } from "#features/account/use-account.ts";
import { api } from "#lib/api.ts";
import { Button } from "#ui/button.tsx";
import { Field } from "#ui/field.tsx";
import { FormFailure } from "#ui/form-failure.tsx";
import { TextInput } from "#ui/text-input.tsx";
import { useFormSend } from "#ui/use-form-send.ts";

/** Verifies the phone number of the account by a code in an SMS. */
export function PhoneVerification({ account }: { account: Account }) {
  const client = useQueryClient();
  const [sent, setSent] = useState(false);
  const [sending, setSending] = useState(false);
  const [status, setStatus] = useState("");
  const form = useForm({ defaultValues: { code: "" } });
  const { errors, isSubmitting } = form.formState;
  const { failure, deliver } = useFormSend(form, ["code"]);
  const phone = `+91 ${account.phoneNumber.slice(0, 5)} ${account.phoneNumber.slice(5)}`;

  async function sendCode() {
    setSending(true);
    setStatus("");
    const result = await deliver(() => api.POST("/account/phone/code"));
    setSending(false);
    if (!result) return;
    form.reset();
    setSent(true);
    setStatus(`We sent a code to ${phone}. It is valid for 10 minutes.`);
  }

  async function verify(body: { code: string }) {
    setStatus("");
    const result = await deliver(() => api.POST("/account/phone/verify", { body }));
    if (result?.data) client.setQueriesData({ queryKey: ACCOUNT_KEY }, result.data);
  }

  if (account.phoneVerified)
    return (
      <p role="status" className="text-ink-2 text-ui">
        You can log in with {phone}.
      </p>
    );
  if (!account.canVerifyPhone)
    return (
      <p className="text-ink-2 text-ui">
        Verification by SMS is not available here. Log in with your email address.
      </p>
    );
  return (
    <form method="post" noValidate onSubmit={form.handleSubmit(verify)} className="text-ui">
      <p className="text-ink-2">To log in with {phone}, verify it with a code that we send by SMS.</p>
      {sent && (
        <Field
          id="phoneCode"
          label="Code from the SMS"
          hint="6 digits"
          error={errors.code?.message}
          className="mt-4"
        >
          {(control) => (
            <TextInput
              {...control}
              {...form.register("code")}
              inputMode="numeric"
              autoComplete="one-time-code"
              maxLength={7}
              className="figures sm:max-w-48"
            />
          )}
        </Field>
      )}
      <FormFailure>{failure}</FormFailure>
      <p role="status" className="mt-3 text-ink-2">
        {status}
      </p>
      <div className="mt-3 flex flex-wrap gap-3">
        {sent && (
          <Button type="submit" pending={isSubmitting}>
            Verify
          </Button>
        )}
        <Button variant="secondary" pending={sending} onClick={() => void sendCode()}>
          {sent ? "Send another code" : "Verify phone number"}
        </Button>
      </div>
    </form>
  );
}
