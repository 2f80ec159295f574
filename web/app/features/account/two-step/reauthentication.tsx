import { useEffect, useId, useState } from "react";
import { type UseFormReturn, useForm } from "react-hook-form";
import { useSecondFactors } from "#features/account/two-step/use-second-factors.ts";
import { useAccount } from "#features/account/use-account.ts";
import { api } from "#lib/api.ts";
import { hasPasskeys, provePasskey } from "#lib/passkey.ts";
import { onReauthenticationRequired } from "#lib/reauthentication.ts";
import type { Method } from "#lib/second-factor-methods.ts";
import { Button } from "#ui/button.tsx";
import { Dialog } from "#ui/dialog.tsx";
import { Field } from "#ui/field.tsx";
import { FormFailure } from "#ui/form-failure.tsx";
import { type Proof, ProofFields } from "#ui/proof-fields.tsx";
import { PasswordInput } from "#ui/text-input.tsx";
import { useFormSend } from "#ui/use-form-send.ts";

/** Asks for the password and the second step when the server requires it for a sensitive action of this page. */
export function Reauthentication() {
  const [answer, setAnswer] = useState<(done: boolean) => void>();
  useEffect(
    () =>
      onReauthenticationRequired(
        () =>
          new Promise((resolve) => {
            setAnswer(() => (done: boolean) => {
              setAnswer(undefined);
              resolve(done);
            });
          }),
      ),
    [],
  );
  return answer ? <ReauthenticationDialog onAnswer={answer} /> : null;
}

type Values = Proof & { password: string };

function ReauthenticationDialog({ onAnswer }: { onAnswer: (done: boolean) => void }) {
  const formId = useId();
  const { data: account } = useAccount();
  const { data: factors } = useSecondFactors();
  const [chosen, setChosen] = useState<Method>();
  const form = useForm<Values>({ defaultValues: { password: "", code: "", recoveryCode: "" } });
  const { failure, setFailure, deliver } = useFormSend(form, ["password", "code", "recoveryCode"]);
  if (!account || !factors) return null;

  const hasApp = factors.authenticatorAppAddedAt !== null;
  const hasPasskey = factors.passkeys.length > 0;
  const methods: Method[] = [];
  if (hasApp) methods.push("code");
  if (hasPasskey && hasPasskeys()) methods.push("passkey");
  if ((hasApp || hasPasskey) && factors.recoveryCodesLeft > 0) methods.push("recoveryCode");
  const method = chosen ?? methods[0];
  const isPossible = account.hasPassword || method !== undefined;

  async function proof(values: Values) {
    if (!method) return {};
    if (method !== "passkey") return { [method]: values[method] };
    const begun = await deliver(() => api.POST("/account/reauthenticate/passkey-options"));
    const passkey = begun?.data && (await provePasskey(begun.data.options));
    if (begun && !passkey) setFailure("The passkey was not used. Try again, or use another method.");
    return begun?.data && passkey ? { passkey, token: begun.data.token } : undefined;
  }

  async function send(values: Values) {
    const sent = await proof(values);
    if (!sent) return;
    const password = account?.hasPassword ? { password: values.password } : {};
    const result = await deliver(() =>
      api.POST("/account/reauthenticate", { body: { ...password, ...sent } }),
    );
    if (result) onAnswer(true);
  }

  return (
    <Dialog
      open
      onClose={() => onAnswer(false)}
      title="Confirm that it is you"
      actions={
        <>
          <Button variant="secondary" onClick={() => onAnswer(false)}>
            Cancel
          </Button>
          {isPossible && (
            <Button type="submit" form={formId} pending={form.formState.isSubmitting}>
              Confirm
            </Button>
          )}
        </>
      }
    >
      {isPossible ? (
        <form id={formId} method="post" noValidate onSubmit={form.handleSubmit(send)} className="text-ink">
          {account.hasPassword && (
            <Field
              id="reauthPassword"
              label="Your password"
              error={form.formState.errors.password?.message}
              className="min-h-0! pt-3"
            >
              {(control) => (
                <PasswordInput
                  {...control}
                  {...form.register("password")}
                  autoComplete="current-password"
                  data-autofocus
                />
              )}
            </Field>
          )}
          {method && (
            <ProofFields
              form={form as unknown as Pick<UseFormReturn<Proof>, "register" | "formState">}
              method={method}
              methods={methods}
              onMethod={setChosen}
            />
          )}
          <FormFailure>{failure}</FormFailure>
        </form>
      ) : (
        <p>Log out and log in with Google again. Then you have 10 minutes for this.</p>
      )}
    </Dialog>
  );
}
