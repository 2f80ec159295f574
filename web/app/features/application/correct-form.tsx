import { standardSchemaResolver } from "@hookform/resolvers/standard-schema";
import { useForm } from "react-hook-form";
import {
  EducationFields,
  ExperienceFields,
  FieldGroup,
  NameField,
  PhoneField,
} from "#features/application/answer-fields.tsx";
import {
  ANSWER_FIELDS,
  type Answers,
  type AnswerTexts,
  answersSchema,
} from "#features/application/answers-schema.ts";
import { MotivationField } from "#features/application/motivation-field.tsx";
import { type CandidateApplication, withKey } from "#features/application/use-application.ts";
import { careersApi, type Schemas } from "#lib/api.ts";
import { istDate } from "#lib/format.ts";
import { Button } from "#ui/button.tsx";
import { ErrorSummary } from "#ui/error-summary.tsx";
import { FormFailure } from "#ui/form-failure.tsx";
import { useFormSend } from "#ui/use-form-send.ts";

export type CorrectFormProps = {
  applicationKey: string;
  application: CandidateApplication;
  onCancel: () => void;
  onDone: (application: CandidateApplication) => void;
};

/** Form for correcting the answers; the opening, the email address and the resume cannot be changed. */
export function CorrectForm({ applicationKey, application, onCancel, onDone }: CorrectFormProps) {
  const form = useForm<AnswerTexts, unknown, Answers>({
    resolver: standardSchemaResolver(answersSchema),
    defaultValues: toFormValues(application.answers),
    shouldFocusError: false,
  });
  const { register, formState } = form;
  const { errors, isSubmitting, dirtyFields } = formState;
  const { messages, attempt, invalid, failure, deliver } = useFormSend(form, ANSWER_FIELDS);

  async function send(answers: Answers) {
    const body = toRequest(answers, (name) => dirtyFields[name] === true);
    const result = await deliver(() =>
      careersApi.PATCH("/api/application", { ...withKey(applicationKey), body }),
    );
    if (result?.data) onDone(result.data);
  }

  return (
    <form method="post" noValidate aria-label="Answers" onSubmit={form.handleSubmit(send, invalid)}>
      <h1 tabIndex={-1} className="text-h2">
        Correct your answers
      </h1>
      <p className="mt-3 mb-6 text-ink-2">
        {application.jobTitle}, {application.applicationId}. Your email address {application.answers.email}{" "}
        and your resume cannot be changed here. To change them, withdraw this application and apply again.
      </p>
      <ErrorSummary errors={messages} attempt={attempt} />
      <FieldGroup name="About you">
        <NameField register={register} errors={errors} />
        <PhoneField register={register} errors={errors} />
      </FieldGroup>
      <FieldGroup name="Education">
        <EducationFields register={register} errors={errors} today={istDate(new Date().toISOString())} />
      </FieldGroup>
      <FieldGroup name="Experience">
        <ExperienceFields register={register} errors={errors} />
      </FieldGroup>
      <FieldGroup name="Motivation">
        <MotivationField register={register} errors={errors} text={application.answers.motivation} />
      </FieldGroup>
      <FormFailure>{failure}</FormFailure>
      <div className="mt-7 flex flex-wrap gap-3">
        <Button type="submit" pending={isSubmitting} className="max-sm:w-full">
          Save changes
        </Button>
        <Button variant="secondary" onClick={onCancel} className="max-sm:w-full">
          Cancel
        </Button>
      </div>
    </form>
  );
}

function toFormValues({
  passingYear,
  experience,
  role,
  linkedin,
  ...texts
}: Schemas["Answers"]): AnswerTexts {
  return {
    ...texts,
    passingYear: String(passingYear),
    experience: String(experience),
    role: role ?? "",
    linkedin: linkedin ?? "",
  };
}

/** Returns the changed answers as the API takes them. */
function toRequest(answers: Answers, changed: (name: keyof Answers) => boolean): Schemas["AnswersEdit"] {
  const { name, mobile, college, degree, passingYear, experience, role, linkedin, motivation } = answers;
  return {
    ...(changed("name") && { name }),
    ...(changed("mobile") && { mobile }),
    ...(changed("college") && { college }),
    ...(changed("degree") && { degree }),
    ...(changed("passingYear") && { passingYear: Number(passingYear) }),
    ...(changed("experience") && { experience: Number(experience) }),
    ...(changed("role") && { role }),
    ...(changed("linkedin") && { linkedin }),
    ...(changed("motivation") && { motivation }),
  };
}
