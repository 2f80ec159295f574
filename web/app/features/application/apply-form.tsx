import { FileText } from "lucide-react";
import { useEffect, useRef } from "react";
import { useWatch } from "react-hook-form";
import {
  EducationFields,
  EmailField,
  ExperienceFields,
  FieldGroup,
  NameField,
  PhoneField,
} from "#features/application/answer-fields.tsx";
import { APPLY_FIELDS, FILE_KINDS } from "#features/application/apply-schema.ts";
import { ConfirmDialog } from "#features/application/confirm-dialog.tsx";
import { ConsentFields } from "#features/application/consent-fields.tsx";
import { MotivationField } from "#features/application/motivation-field.tsx";
// Loaded together with the form, so that the receipt can be shown even if the connection is lost after sending.
import "#features/application/receipt-page.tsx";
import type { Receipt } from "#features/application/send-application.ts";
import { UploadProgress } from "#features/application/upload-progress.tsx";
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
  const { form, submit, progress, failure, cancelled, attempts, cancel, leaving, lostFile } = useApply(
    jobid,
    onStored,
  );
  const { register, control, setValue, getValues, formState } = form;
  const { errors, isSubmitted } = formState;
  const resume = useWatch({ control, name: "resume" });
  const picker = useRef<HTMLInputElement>(null);
  const today = useToday();

  // The prerendered page has no years to choose from; once there are, select the year of the draft again.
  useEffect(() => {
    if (today) setValue("passingYear", getValues("passingYear"));
  }, [today, setValue, getValues]);

  return (
    <form id={formId(jobid)} method="post" noValidate aria-label="Application" onSubmit={submit}>
      <ErrorSummary errors={attempts > 0 ? fieldMessages(errors, APPLY_FIELDS) : []} attempt={attempts} />
      <FieldGroup name="About you">
        <NameField register={register} errors={errors} />
        <EmailField register={register} errors={errors} />
        <PhoneField register={register} errors={errors} />
      </FieldGroup>
      <FieldGroup name="Education">
        <EducationFields register={register} errors={errors} today={today} />
      </FieldGroup>
      <FieldGroup name="Experience">
        <ExperienceFields register={register} errors={errors} />
      </FieldGroup>
      <FieldGroup name="Your application">
        <div className="pt-9">
          <FilePicker
            ref={picker}
            id="resume"
            label="Resume"
            kinds={FILE_KINDS}
            hint={
              today && lostFile && !resume
                ? `Your answers were restored. Choose ${lostFile} again: the browser does not keep files.`
                : "PDF, DOC or DOCX, up to 5 MB"
            }
            icon={<FileText size={26} strokeWidth={1.5} className="shrink-0 text-ink-3" aria-hidden />}
            file={resume}
            error={errors.resume?.message}
            // An invalid file is rejected when it is chosen, a missing one when the form is submitted.
            onChange={(file) =>
              setValue("resume", file, { shouldValidate: file !== undefined || isSubmitted })
            }
          />
        </div>
        <MotivationField register={register} errors={errors} text={getValues("motivation")} />
      </FieldGroup>
      <FieldGroup name="Consent">
        <ConsentFields
          application={register("consentApplication")}
          laterRoles={register("consentLaterRoles")}
          error={errors.consentApplication?.message}
        />
      </FieldGroup>
      {failure && (
        <Banner tone="loss" role="alert" title={FAILED} className="mt-6">
          {failure.text}
        </Banner>
      )}
      <p role="status" className="text-ink-2 text-ui not-empty:mt-6">
        {cancelled &&
          "Cancelled. If it had already arrived, submitting again does not create a second application."}
      </p>
      {progress !== undefined && <UploadProgress file={resume} progress={progress} onCancel={cancel} />}
      <ConfirmDialog
        open={leaving.state === "blocked"}
        title="Leave this page?"
        text="Your application is still being sent. If you leave, sending is cancelled; your answers are kept in this tab."
        confirmLabel="Leave page"
        onConfirm={() => leaving.proceed?.()}
        onCancel={() => leaving.reset?.()}
      />
      <Button
        // Before hydration, a press must not submit the form and lose the input.
        type={today ? "submit" : "button"}
        pending={progress !== undefined}
        className="mt-7 h-12 w-full sm:w-auto sm:min-w-52"
      >
        Submit Application
      </Button>
      <p className="mt-3 text-data text-ink-2">
        When your application is stored, you get a number here and a receipt by email.
      </p>
    </form>
  );
}
