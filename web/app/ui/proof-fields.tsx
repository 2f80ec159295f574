import type { UseFormReturn } from "react-hook-form";
import { METHOD_LINKS, type Method } from "#lib/second-factor-methods.ts";
import { Field } from "#ui/field.tsx";
import { TextInput } from "#ui/text-input.tsx";

export type Proof = { code: string; recoveryCode: string };

export type ProofFieldsProps = {
  form: Pick<UseFormReturn<Proof>, "register" | "formState">;
  method: Method;
  methods: Method[];
  onMethod: (method: Method) => void;
};

/** Field for the chosen second factor, and links to the other ones. */
export function ProofFields({ form, method, methods, onMethod }: ProofFieldsProps) {
  const { errors } = form.formState;
  return (
    <>
      {method === "code" && (
        <Field
          id="code"
          label="Code"
          hint="6 digits from your authenticator app"
          error={errors.code?.message}
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
      {method === "recoveryCode" && (
        <Field
          id="recoveryCode"
          label="Recovery code"
          hint="One of the codes that you saved. Each works once."
          error={errors.recoveryCode?.message}
        >
          {(control) => (
            <TextInput
              {...control}
              {...form.register("recoveryCode")}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              maxLength={64}
              className="figures"
            />
          )}
        </Field>
      )}
      {method === "passkey" && (
        <p className="mt-4">
          Confirm with the fingerprint, face or PIN of your device, or with a security key.
        </p>
      )}
      {methods.length > 1 && (
        <ul className="mt-3 flex flex-wrap gap-x-5 gap-y-1 text-ui">
          {methods
            .filter((other) => other !== method)
            .map((other) => (
              <li key={other}>
                <button type="button" className="link min-h-6" onClick={() => onMethod(other)}>
                  {METHOD_LINKS[other]}
                </button>
              </li>
            ))}
        </ul>
      )}
    </>
  );
}
