import { useState } from "react";
import { useForm } from "react-hook-form";
import { api } from "#lib/api.ts";
import { groupsOfFour } from "#lib/second-factor-methods.ts";
import { Button } from "#ui/button.tsx";
import { Field } from "#ui/field.tsx";
import { FormFailure } from "#ui/form-failure.tsx";
import { TextInput } from "#ui/text-input.tsx";
import { useFormSend } from "#ui/use-form-send.ts";

/** Modules of empty space that scanners need around a QR code. */
const QUIET_ZONE = 4;

export type Setup = { secret: string; url: string; qrCode: { size: number; path: string } };

export type AuthenticatorSetupProps = {
  setup: Setup;
  onDone: (recoveryCodes: string[]) => void;
  onCancel: () => void;
};

/** QR code and key of a new authenticator app, and the field for its first code. */
export function AuthenticatorSetup({ setup, onDone, onCancel }: AuthenticatorSetupProps) {
  const [shown, setShown] = useState(false);
  const form = useForm({ defaultValues: { code: "" } });
  const { failure, deliver } = useFormSend(form, ["code"]);
  const { size, path } = setup.qrCode;
  const side = size + 2 * QUIET_ZONE;

  async function send(body: { code: string }) {
    const result = await deliver(() => api.POST("/account/authenticator-app/confirm", { body }));
    if (result?.data) onDone(result.data.recoveryCodes);
  }

  return (
    <form method="post" noValidate onSubmit={form.handleSubmit(send)} className="mt-4 text-ui">
      <ol className="list-decimal space-y-4 pl-5">
        <li>
          <p>
            Open an authenticator app on your phone, such as Google Authenticator or Aegis, and scan this
            code. On the phone itself,{" "}
            <a href={setup.url} className="link">
              open it in the app
            </a>
            .
          </p>
          {/* Scanners need dark on light, in the dark theme as well. */}
          <svg
            role="img"
            aria-label="QR code for the authenticator app"
            viewBox={`${-QUIET_ZONE} ${-QUIET_ZONE} ${side} ${side}`}
            shapeRendering="crispEdges"
            className="mt-3 size-48 rounded-panel border border-line"
          >
            <rect x={-QUIET_ZONE} y={-QUIET_ZONE} width={side} height={side} fill="#fff" />
            <path d={path} fill="#000" />
          </svg>
          {shown ? (
            <p className="mt-3 break-words">
              Key: <code className="figures">{groupsOfFour(setup.secret)}</code>
            </p>
          ) : (
            <button type="button" className="link mt-3" onClick={() => setShown(true)}>
              Show the key to type it in
            </button>
          )}
        </li>
        <li>
          <Field
            id="totpCode"
            label="Code from the app"
            hint="6 digits"
            error={form.formState.errors.code?.message}
            className="min-h-0! pt-1"
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
        </li>
      </ol>
      <FormFailure>{failure}</FormFailure>
      <div className="mt-5 flex flex-wrap gap-3">
        <Button type="submit" pending={form.formState.isSubmitting}>
          Turn on
        </Button>
        <Button variant="secondary" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </form>
  );
}
