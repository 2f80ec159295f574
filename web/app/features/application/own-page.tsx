import { useState } from "react";
import { CorrectForm } from "#features/application/correct-form.tsx";
import { OwnActions } from "#features/application/own-actions.tsx";
import { OwnAnswers } from "#features/application/own-answers.tsx";
import { OwnSteps } from "#features/application/own-steps.tsx";
import { type OwnApplication, useOwnApplication } from "#features/application/use-own-application.ts";
import { date, dateTime } from "#lib/format.ts";
import { useNewHeading } from "#lib/use-new-heading.ts";
import { Banner } from "#ui/banner.tsx";
import { Button, ButtonLink } from "#ui/button.tsx";
import { MissingEntry, TickedEntry } from "#ui/drawings.tsx";
import { Spinner } from "#ui/spinner.tsx";
import { StatusPage } from "#ui/status-page.tsx";

/** One's own application, opened by the key in a letter. */
export function OwnPage({ applicationKey }: { applicationKey: string }) {
  const { state, load, show, erased } = useOwnApplication(applicationKey);
  useNewHeading(state.phase);
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
          lines={["It could not be shown just now.", state.line]}
          action={<Button onClick={load}>Retry</Button>}
        />
      );
    case "closed":
      return (
        <StatusPage
          drawing={<MissingEntry />}
          title="Open the link in our letter"
          lines={[
            "This page shows your application when that link brings you here.",
            "For your safety the link is not kept: when the page is loaded anew, open it once more.",
          ]}
          action={<ButtonLink to="/careers">See all openings</ButtonLink>}
        />
      );
    case "unknown":
      return (
        <StatusPage
          drawing={<MissingEntry />}
          title="This link opens nothing"
          lines={[
            "A part of it may be missing, or the application is erased.",
            "Open the whole link in our last letter.",
          ]}
          action={<ButtonLink to="/careers">See all openings</ButtonLink>}
        />
      );
    case "erased":
      return (
        <StatusPage
          drawing={<TickedEntry />}
          title="Your application is erased"
          lines={["Your answers and your resume are gone, and links to them work no more."]}
          action={<ButtonLink to="/careers">See all openings</ButtonLink>}
        />
      );
    case "open":
      return (
        <Opened
          applicationKey={applicationKey}
          application={state.application}
          onChanged={show}
          onErased={erased}
        />
      );
  }
}

type OpenedProps = {
  applicationKey: string;
  application: OwnApplication;
  onChanged: (application: OwnApplication) => void;
  onErased: () => void;
};

function Opened({ applicationKey, application, onChanged, onErased }: OpenedProps) {
  const [correcting, setCorrecting] = useState(false);
  const [corrected, setCorrected] = useState(false);
  const { applicationId, jobTitle, receivedAt, keptUntil, withdrawnAt, step } = application;
  useNewHeading(correcting ? "correct" : "show");

  if (correcting) {
    return (
      <CorrectForm
        applicationKey={applicationKey}
        application={application}
        onCancel={() => setCorrecting(false)}
        onDone={(changed) => {
          onChanged(changed);
          setCorrected(true);
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
      {corrected && (
        <Banner tone="gain" role="status" title="Your answers are corrected." className="mt-6">
          A letter with them is on its way to you.
        </Banner>
      )}
      {withdrawnAt ? (
        <Banner title="This application is withdrawn." className="mt-6">
          Nobody goes on with it. It is kept until {date(keptUntil)}, unless you erase it before.
        </Banner>
      ) : (
        <OwnSteps step={step} since={application.stepSince} />
      )}
      <OwnAnswers application={application} />
      <OwnActions
        applicationKey={applicationKey}
        application={application}
        onCorrect={() => {
          setCorrected(false);
          setCorrecting(true);
        }}
        onChanged={onChanged}
        onErased={onErased}
      />
      <p className="mt-8 text-data text-ink-2">
        It is kept until {date(keptUntil)}; then it is erased with your resume. Whoever has the link to this
        page can do what you can do here: do not pass it on.
      </p>
    </>
  );
}
