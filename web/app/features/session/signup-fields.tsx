import type { UseFormReturn } from "react-hook-form";
import type { Signup } from "#features/session/signup-schema.ts";
import { tenDigits } from "#lib/person-fields.ts";
import { Field } from "#ui/field.tsx";
import { PasswordInput, TextInput } from "#ui/text-input.tsx";

export function SignupFields({ form }: { form: UseFormReturn<Signup> }) {
  const { register, formState } = form;
  const { errors } = formState;
  const phone = register("phone", {
    onChange: (event) => {
      event.target.value = tenDigits(event.target.value);
    },
  });

  return (
    <>
      <Field id="name" label="Full Name" error={errors.name?.message}>
        {(control) => <TextInput {...control} {...register("name")} autoComplete="name" />}
      </Field>
      <Field id="email" label="Email" error={errors.email?.message}>
        {(control) => (
          <TextInput
            {...control}
            {...register("email")}
            type="email"
            autoComplete="email"
            autoCapitalize="none"
          />
        )}
      </Field>
      <Field id="phone" label="Phone Number" hint="10 digits, without +91 or 0" error={errors.phone?.message}>
        {(control) => (
          <TextInput
            {...control}
            {...phone}
            type="tel"
            inputMode="numeric"
            autoComplete="tel-national"
            className="sm:max-w-60"
          />
        )}
      </Field>
      <Field id="password" label="Password" hint="At least 8 characters" error={errors.password?.message}>
        {(control) => (
          <PasswordInput
            {...control}
            {...register("password", { deps: "confirmPassword" })}
            autoComplete="new-password"
          />
        )}
      </Field>
      <Field id="confirmPassword" label="Confirm Password" error={errors.confirmPassword?.message}>
        {(control) => (
          <PasswordInput {...control} {...register("confirmPassword")} autoComplete="new-password" />
        )}
      </Field>
    </>
  );
}
