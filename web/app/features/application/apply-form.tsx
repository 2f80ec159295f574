import { FileText } from "lucide-react";
import { useEffect, useRef } from "react";
import { useWatch } from "react-hook-form";
import {
  EducationFields,
  EmailField,
  ExperienceFields,
  NameField,
  PhoneField,
} from "#features/application/answer-fields.tsx";
import { APPLY_FIELDS, FILE_KINDS } from "#features/application/apply-schema.ts";
import { ConsentFields } from "#features/application/consent-fields.tsx";
import { Group } from "#features/application/group.tsx";
import { MotivationField } from "#features/application/motivation-field.tsx";
// Here for its bytes: they come with the form, so that a lost line cannot part the two.
import "#features/application/receipt-page.tsx";
import type { Receipt } from "#features/application/send-application.ts";
import { Sending } from "#features/application/sending.tsx";
import { formId, useApply } from "#features/application/use-apply.ts";
import { useToday } from "#lib/use-today.ts";
import { Banner } from "#ui/banner.tsx";
import { Button } from "#ui/button.tsx";
import { ErrorSummary } from "#ui/error-summary.tsx";
import { fieldMessages } from "#ui/field-messages.ts";
import { FilePicker } from "#ui/file-picker.tsx";

const FAILED = "There was an issue submitting your application. Please try again.";

export type ApplyFormProps = {
  jobid: string;
  onStored: (receipt: Receipt, email: string) => void;
};

export function ApplyForm({ jobid, onStored }: ApplyFormProps) {
  const { form, submit, share, failure, cancelled, tries, cancel, lostFile } = useApply(jobid, onStored);
  const { register, control, setValue, getValues, formState } = form;
  const { errors, isSubmitted } = formState;
  const resume = useWatch({ control, name: "resume" });
  const picker = useRef<HTMLInputElement>(null);
  const today = useToday();

  // The years come after the page as it was built: a year of the draft was chosen before there were any.
  useEffect(() => {
    if (today) setValue("passingYear", getValues("passingYear"));
  }, [today, setValue, getValues]);

  return (
    <form id={formId(jobid)} method="post" noValidate aria-label="Application" onSubmit={submit}>
      <ErrorSummary errors={tries > 0 ? fieldMessages(errors, APPLY_FIELDS) : []} attempt={tries} />
      <Group name="About you">
        <NameField register={register} errors={errors} />
        <EmailField register={register} errors={errors} />
        <PhoneField register={register} errors={errors} />
      </Group>
      <Group name="Education">
        <EducationFields register={register} errors={errors} today={today} />
      </Group>
      <Group name="Experience">
        <ExperienceFields register={register} errors={errors} />
      </Group>
      <Group name="Your application">
        <div className="pt-9">
          <FilePicker
            ref={picker}
            id="resume"
            label="Resume"
            kinds={FILE_KINDS}
            hint={
              today && lostFile && !resume
                ? `Your answers are back. Choose ${lostFile} again: a browser does not keep files.`
                : "PDF, DOC or DOCX, up to 5 MB"
            }
            icon={<FileText size={26} strokeWidth={1.5} className="shrink-0 text-ink-3" aria-hidden />}
            file={resume}
            error={errors.resume?.message}
            // A file that cannot be taken is refused as soon as it is chosen; a missing one when the form is sent.
            onChange={(file) =>
              setValue("resume", file, { shouldValidate: file !== undefined || isSubmitted })
            }
          />
        </div>
        <MotivationField register={register} errors={errors} text={getValues("motivation")} />
      </Group>
      <Group name="Consent">
        <ConsentFields
          application={register("consentApplication")}
          laterRoles={register("consentLaterRoles")}
          error={errors.consentApplication?.message}
        />
      </Group>
      {failure && (
        <Banner tone="loss" role="alert" title={FAILED} className="mt-6">
          {failure.text}
        </Banner>
      )}
      <p role="status" className="text-ink-2 text-ui not-empty:mt-6">
        {cancelled && "Stopped. If it had arrived already, submitting again makes no second application."}
      </p>
      {share !== undefined && <Sending file={resume} share={share} onCancel={cancel} />}
      <Button
        // Before the script is at work a press must not send the browser away with all that was typed.
        type={today ? "submit" : "button"}
        pending={share !== undefined}
        className="mt-7 h-12 w-full sm:w-auto sm:min-w-52"
      >
        Submit Application
      </Button>
      <p className="mt-3 text-data text-ink-2">
        You get a number here and a receipt by mail as soon as it is stored.
      </p>
    </form>
  );
}
