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

/** Sends new links to all applications of an email address. */
export function NewLinkForm() {
  const [sentTo, setSentTo] = useState("");
  const form = useForm<EmailForm>({ resolver: standardSchemaResolver(SCHEMA), defaultValues: { email: "" } });
  const { errors, isSubmitting } = form.formState;
  const { failure, deliver } = useFormSend(form, ["email"]);

  async function send(body: EmailForm) {
    if (await deliver(() => careersApi.POST("/api/application/links", { body }))) setSentTo(body.email);
  }

  if (sentTo) {
    return (
      <p ref={focusElement} tabIndex={-1} role="status" className="font-medium">
        If there is an application from {sentTo}, we have sent a new link to it. Check your spam folder too.
      </p>
    );
  }
  return (
    <form method="post" noValidate aria-label="New link" onSubmit={form.handleSubmit(send)}>
      <Field
        id="email"
        label="Email"
        hint="The address that you applied with"
        error={errors.email?.message}
        className="max-w-sm"
      >
        {(control) => (
          <TextInput
            {...control}
            {...form.register("email")}
            type="email"
            inputMode="email"
            autoComplete="email"
            autoCapitalize="none"
          />
        )}
      </Field>
      <FormFailure>{failure}</FormFailure>
      <Button type="submit" pending={isSubmitting} className="mt-4 max-sm:w-full">
        Send a new link
      </Button>
    </form>
  );
}
