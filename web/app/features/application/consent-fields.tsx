import clsx from "clsx";
import { ChevronDown, CircleAlert } from "lucide-react";
import type { ComponentProps, ReactNode } from "react";
import { Link } from "react-router";
import { APPLICATION_NOTICE } from "#content/application-notice.ts";
import { SITE } from "#content/site.ts";

export type ConsentFieldsProps = {
  /** What react-hook-form's `register` gives for each box. */
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
        <Box
          {...application}
          id="consentApplication"
          aria-invalid={error ? true : undefined}
          aria-describedby={error ? "consent-error" : undefined}
        >
          {SITE.name} may use these details for this application.
        </Box>
        <Box {...laterRoles} id="consentLaterRoles">
          Keep them for later roles, for 12 months. <span className="text-ink-3">(optional)</span>
        </Box>
      </div>
      {/* In a new tab: the chosen file would not come back with this page. */}
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

function Box({ children, className, ...input }: ComponentProps<"input"> & { children: ReactNode }) {
  return (
    <label className={clsx("flex min-h-11 cursor-pointer items-start gap-3 py-2.5 text-ui", className)}>
      <input {...input} type="checkbox" className="mt-0.5 size-5 shrink-0 accent-brand" />
      <span>{children}</span>
    </label>
  );
}
