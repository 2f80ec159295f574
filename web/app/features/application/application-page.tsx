import { useEffect, useRef, useState } from "react";
import { ApplicationActions } from "#features/application/application-actions.tsx";
import { ApplicationAnswers } from "#features/application/application-answers.tsx";
import { ApplicationStatus } from "#features/application/application-status.tsx";
import { CorrectForm } from "#features/application/correct-form.tsx";
import { NewLinkForm } from "#features/application/new-link-form.tsx";
import { type CandidateApplication, useApplication } from "#features/application/use-application.ts";
import { date, dateTime } from "#lib/format.ts";
import { useHeadingFocus } from "#lib/heading-focus.ts";
import { Banner } from "#ui/banner.tsx";
import { Button, ButtonLink } from "#ui/button.tsx";
import { MissingEntry } from "#ui/missing-entry.tsx";
import { Spinner } from "#ui/spinner.tsx";
import { StatusPage } from "#ui/status-page.tsx";
import { TickedEntry } from "#ui/ticked-entry.tsx";

/** The page on which a candidate sees and changes the application; opened by the key in an email. */
export function ApplicationPage({ applicationKey }: { applicationKey: string }) {
  const { state, load, show, showDeleted, showLinkReplaced } = useApplication(applicationKey);
  useHeadingFocus(state.phase);
  switch (state.phase) {
    case "loading":
      return (
        <div role="status" className="flex min-h-80 flex-col items-center justify-center text-ink-2">
          <Spinner size={28} />
          <span className="sr-only">Loading your application</span>
        </div>
      );
    case "failed":
      return (
        <StatusPage
          title="Your application"
          role="status"
          lines={["It cannot be shown right now.", state.message]}
          action={<Button onClick={load}>Retry</Button>}
        />
      );
    case "no-key":
      return (
        <StatusPage
          drawing={<MissingEntry />}
          title="Open the link in our email"
          lines={[
            "This page shows your application if you open it with that link.",
            "For your security the link is not stored. If you reload this page, open the link again.",
          ]}
          action={<NewLinkForm />}
        />
      );
    case "unknown":
      return (
        <StatusPage
          drawing={<MissingEntry />}
          title="This link is not valid"
          lines={[
            "It may be incomplete or replaced, or the application was deleted.",
            "Open the complete link in our latest email, or ask for a new one.",
          ]}
          action={<NewLinkForm />}
        />
      );
    case "deleted":
      return (
        <StatusPage
          drawing={<TickedEntry />}
          title="Your application was deleted"
          lines={["Your answers and your resume were deleted. Links to them no longer work."]}
          action={<ButtonLink to="/careers">See all openings</ButtonLink>}
        />
      );
    case "link-replaced":
      return (
        <StatusPage
          drawing={<TickedEntry />}
          title="Check your email"
          lines={[
            `We are sending a new link to ${state.email}.`,
            "Earlier links to your application no longer work.",
          ]}
        />
      );
    case "open":
      return (
        <OpenApplication
          applicationKey={applicationKey}
          application={state.application}
          onChanged={show}
          onDeleted={showDeleted}
          onLinkReplaced={() => showLinkReplaced(state.application.answers.email)}
        />
      );
  }
}

type OpenApplicationProps = {
  applicationKey: string;
  application: CandidateApplication;
  onChanged: (application: CandidateApplication) => void;
  onDeleted: () => void;
  onLinkReplaced: () => void;
};

function OpenApplication({
  applicationKey,
  application,
  onChanged,
  onDeleted,
  onLinkReplaced,
}: OpenApplicationProps) {
  const [correcting, setCorrecting] = useState(false);
  const [changed, setChanged] = useState<"corrected" | "withdrawn">();
  const message = useRef<HTMLDivElement>(null);
  const { applicationId, jobTitle, receivedAt, expiresAt, lastViewedAt, withdrawnAt, step } = application;
  useHeadingFocus(correcting ? "correct" : "show");
  // The control that was pressed is gone. After the effect above, which focuses the heading.
  useEffect(() => {
    if (changed) message.current?.focus();
  }, [changed]);

  if (correcting) {
    return (
      <CorrectForm
        applicationKey={applicationKey}
        application={application}
        onCancel={() => setCorrecting(false)}
        onDone={(corrected) => {
          onChanged(corrected);
          setChanged("corrected");
          setCorrecting(false);
        }}
      />
    );
  }
  return (
    <>
      <p className="font-medium text-ink-2 text-ui">
        Application {applicationId} · received {dateTime(receivedAt)}
      </p>
      <h1 tabIndex={-1} className="mt-2 text-h2">
        {jobTitle}
      </h1>
      {changed === "corrected" && (
        <Banner ref={message} tone="gain" role="status" title="Your answers were corrected." className="mt-6">
          We are sending you an email with them.
        </Banner>
      )}
      {withdrawnAt ? (
        <Banner ref={message} title="This application is withdrawn." className="mt-6">
          We have stopped processing it. We keep it until {date(expiresAt)}, unless you delete it earlier.
        </Banner>
      ) : (
        <ApplicationStatus step={step} since={application.stepSince} pastSteps={application.pastSteps} />
      )}
      <p className="mt-4 text-data text-ink-2">
        {lastViewedAt
          ? `Our team last viewed your application on ${dateTime(lastViewedAt)}.`
          : "Our team has not viewed your application yet."}
      </p>
      <ApplicationAnswers application={application} />
      <ApplicationActions
        applicationKey={applicationKey}
        application={application}
        onCorrect={() => {
          setChanged(undefined);
          setCorrecting(true);
        }}
        onChanged={onChanged}
        onWithdrawn={(withdrawn) => {
          onChanged(withdrawn);
          setChanged("withdrawn");
        }}
        onDeleted={onDeleted}
        onLinkReplaced={onLinkReplaced}
      />
      <p className="mt-8 text-data text-ink-2">
        We keep your application until {date(expiresAt)}. Then it is deleted with your resume. Anyone with the
        link to this page can do everything here: do not share it. If somebody else has it, replace it.
      </p>
    </>
  );
}
