import { standardSchemaResolver } from "@hookform/resolvers/standard-schema";
import { useId, useState } from "react";
import { useForm } from "react-hook-form";
import { Link } from "react-router";
import { type Closing, closeSchema } from "#features/account/account-schemas.ts";
import { api } from "#lib/api.ts";
import { Button } from "#ui/button.tsx";
import { Dialog } from "#ui/dialog.tsx";
import { Field } from "#ui/field.tsx";
import { FormFailure } from "#ui/form-failure.tsx";
import { PasswordInput } from "#ui/text-input.tsx";
import { useFormSend } from "#ui/use-form-send.ts";

export type CloseDialogProps = { onClosed: (deletedOn: string) => void; onCancel: () => void };

export function CloseDialog({ onClosed, onCancel }: CloseDialogProps) {
  const formId = useId();
  const [needsPassword, setNeedsPassword] = useState(false);
  const form = useForm<Closing>({
    resolver: standardSchemaResolver(closeSchema),
    defaultValues: { password: "" },
  });
  const { errors, isSubmitting } = form.formState;
  const { failure, deliver } = useFormSend(form, ["password"]);

  async function send(body: Closing) {
    const result = await deliver(async () => {
      const reply = await api.POST("/account/close", { body });
      setNeedsPassword(reply.error?.code === "no_password");
      return reply;
    });
    if (result?.data) onClosed(result.data.deletedOn);
  }

  return (
    <Dialog
      open
      onClose={onCancel}
      title="Delete your account?"
      actions={
        <>
          <Button variant="secondary" onClick={onCancel} data-autofocus>
            Cancel
          </Button>
          <Button type="submit" form={formId} variant="danger" pending={isSubmitting}>
            Delete account
          </Button>
        </>
      }
    >
      <p>You will be logged out on every device. In 30 days all your data is deleted.</p>
      <form id={formId} method="post" noValidate onSubmit={form.handleSubmit(send)} className="text-ink">
        <Field id="closing" label="Your password" error={errors.password?.message} className="min-h-0! pt-3">
          {(control) => (
            <PasswordInput {...control} {...form.register("password")} autoComplete="current-password" />
          )}
        </Field>
        <FormFailure>{failure}</FormFailure>
        {needsPassword && (
          <Link to="/forgot-password" className="link text-ui">
            Get a link to set a password
          </Link>
        )}
      </form>
    </Dialog>
  );
}
