import { useState } from "react";
import { useForm } from "react-hook-form";
import { api } from "#lib/api.ts";
import { createPasskey } from "#lib/passkey.ts";
import { Button } from "#ui/button.tsx";
import { Field } from "#ui/field.tsx";
import { FormFailure } from "#ui/form-failure.tsx";
import { TextInput } from "#ui/text-input.tsx";
import { useFormSend } from "#ui/use-form-send.ts";

export type AddPasskeyProps = { onDone: (recoveryCodes: string[]) => void };

/** Button that opens the form for a new passkey. */
export function AddPasskey({ onDone }: AddPasskeyProps) {
  const [open, setOpen] = useState(false);
  const form = useForm({ defaultValues: { name: "" } });
  const { failure, setFailure, deliver } = useFormSend(form, ["name"]);

  async function send({ name }: { name: string }) {
    const begun = await deliver(() => api.POST("/account/passkeys/options"));
    if (!begun?.data) return;
    const { token, options } = begun.data;
    const passkey = await createPasskey(options);
    if (!passkey) {
      setFailure("No passkey was added. Try again, or use another device.");
      return;
    }
    const result = await deliver(() => api.POST("/account/passkeys", { body: { token, name, passkey } }));
    if (!result?.data) return;
    form.reset();
    setOpen(false);
    onDone(result.data.recoveryCodes);
  }

  if (!open)
    return (
      <Button variant="secondary" onClick={() => setOpen(true)}>
        Add passkey
      </Button>
    );
  return (
    <form method="post" noValidate onSubmit={form.handleSubmit(send)} className="w-full">
      <Field
        id="passkeyName"
        label="Name of the passkey"
        hint="For example, the device that it is on"
        error={form.formState.errors.name?.message}
        className="min-h-0!"
      >
        {(control) => (
          <TextInput
            {...control}
            {...form.register("name", { required: "Enter a name for the passkey." })}
            autoComplete="off"
            maxLength={60}
          />
        )}
      </Field>
      <FormFailure>{failure}</FormFailure>
      <div className="mt-4 flex flex-wrap gap-3">
        <Button type="submit" pending={form.formState.isSubmitting}>
          Continue
        </Button>
        <Button variant="secondary" onClick={() => setOpen(false)}>
          Cancel
        </Button>
      </div>
    </form>
  );
}
