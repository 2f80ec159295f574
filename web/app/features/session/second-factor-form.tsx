import { useEffect, useRef, useState } from "react";
import { useForm } from "react-hook-form";
import { startSession } from "#features/session/session-store.ts";
import { api } from "#lib/api.ts";
import { hasPasskeys, provePasskey } from "#lib/passkey.ts";
import { knownMethods, type Method } from "#lib/second-factor-methods.ts";
import { Button } from "#ui/button.tsx";
import { Checkbox } from "#ui/checkbox.tsx";
import { ErrorSummary } from "#ui/error-summary.tsx";
import { FormFailure } from "#ui/form-failure.tsx";
import { type Proof, ProofFields } from "#ui/proof-fields.tsx";
import { useFormSend } from "#ui/use-form-send.ts";

const FIELDS = ["code", "recoveryCode"] as const;

export type SecondFactorFormProps = {
  /** Names of the second factors that the account has. */
  methods: readonly string[];
  onLoggedIn: () => void;
  /** Returns to the first step. */
  onBack: () => void;
};

/** Second step of a login. */
export function SecondFactorForm({ methods: names, onLoggedIn, onBack }: SecondFactorFormProps) {
  const methods = knownMethods(names).filter((method) => method !== "passkey" || hasPasskeys());
  const [method, setMethod] = useState<Method>(methods[0] ?? "code");
  const [trustDevice, setTrustDevice] = useState(false);
  const heading = useRef<HTMLHeadingElement>(null);
  const form = useForm<Proof>({ defaultValues: { code: "", recoveryCode: "" }, shouldFocusError: false });
  const { messages, attempt, failure, setFailure, deliver } = useFormSend(form, FIELDS);
  useEffect(() => heading.current?.focus(), []);

  async function proof(values: Proof) {
    if (method !== "passkey") return { [method]: values[method] };
    const begun = await deliver(() => api.POST("/auth/login/passkey-options"));
    const passkey = begun?.data && (await provePasskey(begun.data.options));
    if (begun && !passkey) setFailure("The passkey was not used. Try again, or use another method.");
    return passkey ? { passkey } : undefined;
  }

  async function send(values: Proof) {
    const sent = await proof(values);
    if (!sent) return;
    const result = await deliver(() =>
      api.POST("/auth/login/second-factor", { body: { ...sent, trustDevice } }),
    );
    if (!result?.data) return;
    if (startSession(result.data.data.token)) onLoggedIn();
    else setFailure("That did not work. Please try again.");
  }

  return (
    <form
      method="post"
      noValidate
      className="border-rule border-l pl-4 sm:-ml-8 sm:pl-8"
      onSubmit={form.handleSubmit(send)}
    >
      <h2 ref={heading} tabIndex={-1} className="text-h3">
        Two-step verification
      </h2>
      <ErrorSummary errors={messages} attempt={attempt} />
      <ProofFields form={form} method={method} methods={methods} onMethod={setMethod} />
      <Checkbox
        className="mt-4"
        checked={trustDevice}
        onChange={(event) => setTrustDevice(event.currentTarget.checked)}
      >
        Do not ask again on this device for 30 days
      </Checkbox>
      <FormFailure>{failure}</FormFailure>
      <div className="mt-6 flex flex-wrap items-center gap-x-6 gap-y-3">
        <Button type="submit" pending={form.formState.isSubmitting} className="w-full sm:w-auto sm:min-w-36">
          {method === "passkey" ? "Use passkey" : "Continue"}
        </Button>
        <button type="button" className="link text-ui" onClick={onBack}>
          Back to login
        </button>
      </div>
    </form>
  );
}
