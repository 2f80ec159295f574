import type { ReactNode } from "react";
import type { UseFormRegisterReturn } from "react-hook-form";
import type { Answers } from "#features/application/answers-schema.ts";
import { DEGREES, graduationYears, ROLES } from "#features/application/choices.ts";
import { tenDigits } from "#lib/person-fields.ts";
import { Field } from "#ui/field.tsx";
import { Select } from "#ui/select.tsx";
import { TextInput } from "#ui/text-input.tsx";

export type AnswerFieldsProps = {
  /** The `register` function of react-hook-form, limited to these fields. */
  register: (name: keyof Answers) => UseFormRegisterReturn;
  errors: Partial<Record<keyof Answers, { message?: string }>>;
};

/** Keeps a hint or an error of two lines from touching the control above, on a narrow phone. */
const GAP = "pt-2.5";

/** Related fields with a heading: in the margin on a wide screen, above the fields on a narrow one. */
export function FieldGroup({ name, children }: { name: string; children: ReactNode }) {
  return (
    <fieldset className="relative min-w-0 border-rule border-l pb-4 pl-4 sm:-ml-8 sm:pl-8">
      {/* A legend cannot be positioned, so the visible heading is a separate element. */}
      <legend className="sr-only">{name}</legend>
      <p
        aria-hidden="true"
        className="font-heading font-semibold text-h4 tracking-[-0.018em] max-lg:pt-8 lg:absolute lg:top-9 lg:right-full lg:mr-6 lg:w-40 lg:text-right"
      >
        {name}
      </p>
      {children}
    </fieldset>
  );
}

export function NameField({ register, errors }: AnswerFieldsProps) {
  return (
    <Field id="name" label="Full name" error={errors.name?.message} className={GAP}>
      {(control) => <TextInput {...control} {...register("name")} autoComplete="name" className="h-12" />}
    </Field>
  );
}

export function EmailField({ register, errors }: AnswerFieldsProps) {
  return (
    <Field
      id="email"
      label="Email"
      hint="For the receipt and all replies"
      error={errors.email?.message}
      className={GAP}
    >
      {(control) => (
        <TextInput
          {...control}
          {...register("email")}
          type="email"
          inputMode="email"
          autoComplete="email"
          autoCapitalize="none"
          className="h-12"
        />
      )}
    </Field>
  );
}

export function PhoneField({ register, errors }: AnswerFieldsProps) {
  const phone = register("mobile");
  return (
    <Field
      id="mobile"
      label="Phone"
      hint="10 digits, without +91 or 0"
      error={errors.mobile?.message}
      className={GAP}
    >
      {(control) => (
        <TextInput
          {...control}
          {...phone}
          onChange={(event) => {
            event.target.value = tenDigits(event.target.value);
            return phone.onChange(event);
          }}
          type="tel"
          inputMode="numeric"
          autoComplete="tel-national"
          className="h-12 sm:max-w-60"
        />
      )}
    </Field>
  );
}

/** `today` is undefined in the prerendered page; the years are listed once it is known. */
export function EducationFields({
  register,
  errors,
  today,
}: AnswerFieldsProps & { today: string | undefined }) {
  return (
    <>
      <Field id="college" label="College" error={errors.college?.message} className={GAP}>
        {(control) => (
          <TextInput {...control} {...register("college")} autoComplete="organization" className="h-12" />
        )}
      </Field>
      <div className="grid gap-x-4 min-[26rem]:grid-cols-2">
        <Field id="degree" label="Degree" error={errors.degree?.message} className={GAP}>
          {(control) => (
            <Select
              {...control}
              {...register("degree")}
              options={DEGREES}
              placeholder="Choose a degree"
              className="h-12"
            />
          )}
        </Field>
        <Field id="passingYear" label="Graduation year" error={errors.passingYear?.message} className={GAP}>
          {(control) => (
            <Select
              {...control}
              {...register("passingYear")}
              options={today ? graduationYears(today) : []}
              placeholder="Choose a year"
              className="h-12"
            />
          )}
        </Field>
      </div>
    </>
  );
}

export function ExperienceFields({ register, errors }: AnswerFieldsProps) {
  return (
    <>
      <div className="grid gap-x-4 sm:grid-cols-2">
        <Field
          id="experience"
          label="Years of experience"
          hint="0 to 50"
          error={errors.experience?.message}
          className={GAP}
        >
          {(control) => (
            <TextInput
              {...control}
              {...register("experience")}
              type="number"
              inputMode="decimal"
              min={0}
              max={50}
              step="any"
              className="h-12"
            />
          )}
        </Field>
        <Field
          id="role"
          label="Preferred role"
          hint="One of eight"
          optional
          error={errors.role?.message}
          className={GAP}
        >
          {(control) => (
            <Select
              {...control}
              {...register("role")}
              options={ROLES}
              placeholder="No preference"
              className="h-12"
            />
          )}
        </Field>
      </div>
      <Field id="linkedin" label="LinkedIn" optional error={errors.linkedin?.message} className={GAP}>
        {(control) => (
          <TextInput
            {...control}
            {...register("linkedin")}
            type="url"
            inputMode="url"
            autoComplete="url"
            autoCapitalize="none"
            placeholder="linkedin.com/in/…"
            className="h-12"
          />
        )}
      </Field>
    </>
  );
}
