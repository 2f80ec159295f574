import { Check } from "lucide-react";
import { RECRUITMENT } from "#content/recruitment.ts";
import type { CandidateApplication } from "#features/application/use-application.ts";
import { dateTime } from "#lib/format.ts";
import { Banner } from "#ui/banner.tsx";

type Step = CandidateApplication["step"];

export type ApplicationStatusProps = {
  step: Step;
  since: string;
  /** Conversations that took place before this step. */
  pastSteps: CandidateApplication["pastSteps"];
};

/** Shows the recruitment step that the application has reached, since when, and the steps before it. */
export function ApplicationStatus({ step, since, pastSteps }: ApplicationStatusProps) {
  const current = RECRUITMENT.steps.findIndex((one) => one.step === step);
  const reachedCount = step === "offered" ? RECRUITMENT.steps.length : current;
  return (
    <section aria-labelledby="steps" className="mt-8">
      <h2 id="steps" className="text-h4">
        Status
      </h2>
      <StepMessage step={step} since={since} />
      {step !== "rejected" && (
        <ol className="mt-4 overflow-hidden rounded-panel border border-line bg-surface">
          {RECRUITMENT.steps.map(({ id, step: own, title, duration }, index) => (
            <li
              key={id}
              aria-current={index === current ? "step" : undefined}
              className="grid grid-cols-[3.5rem_minmax(0,1fr)_auto] items-center border-line border-t first:border-t-0 aria-[current=step]:bg-brand-soft"
            >
              <span className="flex h-full items-center justify-center border-rule border-r py-3 font-heading font-semibold text-brand text-h4">
                {pastSteps.includes(own) ? (
                  <Check size={20} aria-hidden />
                ) : (
                  <span aria-hidden="true">{id}</span>
                )}
              </span>
              <span className="px-4 py-3">
                <span className={index <= current ? "font-semibold" : "font-medium"}>{title}</span>
                {index === current && (
                  <span className="block text-data text-ink-2">since {dateTime(since)}</span>
                )}
              </span>
              <span className="px-4 py-3 text-data text-ink-2">
                {pastSteps.includes(own)
                  ? "Done"
                  : index === current
                    ? "Now"
                    : index < reachedCount
                      ? "Skipped"
                      : duration}
              </span>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

function StepMessage({ step, since }: { step: Step; since: string }) {
  const when = dateTime(since);
  switch (step) {
    case "received":
      return <p className="mt-2 text-ink-2">Received on {when}. We will email you at every step.</p>;
    case "offered":
      return (
        <Banner tone="gain" title="We would like you to join us." className="mt-4">
          Since {when}. We will call you about the offer.
        </Banner>
      );
    case "rejected":
      return (
        <Banner title="We have decided to continue with other candidates." className="mt-4">
          On {when}. Thank you for your time; you are welcome to apply for another opening.
        </Banner>
      );
    default:
      return null;
  }
}
