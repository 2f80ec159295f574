import { ChevronDown, CircleAlert } from "lucide-react";
import type { ComponentProps } from "react";
import { Link } from "react-router";
import { APPLICATION_NOTICE } from "#content/application-notice.ts";
import { SITE } from "#content/site.ts";
import { Checkbox } from "#ui/checkbox.tsx";

export type ConsentFieldsProps = {
  /** Props from react-hook-form's `register` for each checkbox. */
  application: ComponentProps<"input">;
  laterRoles: ComponentProps<"input">;
  error: string | undefined;
};

export function ConsentFields({ application, laterRoles, error }: ConsentFieldsProps) {
  return (
    <>
      <details className="group mt-6 rounded-panel border border-line bg-surface px-5">
        <summary className="flex min-h-12 list-none items-center justify-between gap-3 font-semibold text-ui">
          What happens to your data
          <ChevronDown size={18} aria-hidden className="text-ink-2 group-open:rotate-180" />
        </summary>
        <dl className="space-y-2 pb-5 text-data">
          {APPLICATION_NOTICE.items.map(({ title, text }) => (
            <div key={title}>
              <dt className="font-semibold">{title}</dt>
              <dd className="text-ink-2">{text}</dd>
            </div>
          ))}
        </dl>
      </details>
      <div className="mt-3">
        {error && (
          <p id="consent-error" className="flex gap-1.5 pt-2 font-semibold text-data text-loss">
            <CircleAlert size={15} strokeWidth={2.25} className="mt-[0.15em] shrink-0" aria-hidden />
            {error}
          </p>
        )}
        <Checkbox
          {...application}
          id="consentApplication"
          aria-invalid={error ? true : undefined}
          aria-describedby={error ? "consent-error" : undefined}
        >
          {SITE.name} may use these details for this application.
        </Checkbox>
        <Checkbox {...laterRoles} id="consentLaterRoles">
          Keep them for later roles, for 12 months after the last step.{" "}
          <span className="text-ink-3">(optional)</span>
        </Checkbox>
      </div>
      {/* Opens in a new tab: leaving this page would lose the chosen file. */}
      <p className="mt-3 text-data text-ink-2">
        By sending this you accept the{" "}
        <Link to="/terms-and-conditions" target="_blank" className="link">
          terms and conditions<span className="sr-only"> (in a new tab)</span>
        </Link>{" "}
        of job applications.
      </p>
    </>
  );
}
