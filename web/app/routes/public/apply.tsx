import { ArrowLeft } from "lucide-react";
import { lazy, memo, Suspense, useEffect, useState } from "react";
import { Link } from "react-router";
import { findOpening, type Opening, openingLocation } from "#content/openings.ts";
import {
  keepStoredApplication,
  readStoredApplication,
  type StoredApplication,
} from "#features/application/stored-application.ts";
import { NoOpening } from "#features/careers/no-opening.tsx";
import { FocusColumn } from "#features/shell/focus-column.tsx";
import { pageMeta } from "#lib/seo.ts";
import { useToday } from "#lib/use-today.ts";
import type { Route } from "./+types/apply.ts";

// The form is part of the prerendered page; its script loads after it.
const ApplyForm = lazy(async () => ({
  default: (await import("#features/application/apply-form.tsx")).ApplyForm,
}));
const ReceiptPage = lazy(async () => ({
  default: (await import("#features/application/receipt-page.tsx")).ReceiptPage,
}));

export function meta({ params }: Route.MetaArgs) {
  const opening = findOpening(params.jobid);
  if (!opening) return [];
  return pageMeta({
    title: `Apply for ${opening.title}`,
    description: `Apply for ${opening.title}, without an account.`,
    noindex: true,
  });
}

export default function ApplyPage({ params }: Route.ComponentProps) {
  const opening = findOpening(params.jobid);
  const today = useToday();
  // The opening may have closed since the page was built.
  const open = opening && (today === undefined || today <= opening.last_date);
  if (open) return <ApplyForOpening key={opening.id} opening={opening} />;
  return (
    <FocusColumn>
      <NoOpening />
    </FocusColumn>
  );
}

/**
 * Memoised, because a new render before the script of the form has loaded would remove the prerendered form, with the
 * input in it.
 */
const ApplyForOpening = memo(function ApplyForOpening({ opening }: { opening: Opening }) {
  const { id, title, department, stipend } = opening;
  const [stored, setStored] = useState<StoredApplication>();
  useEffect(() => setStored(readStoredApplication()), []);
  const show = (application: StoredApplication) => {
    keepStoredApplication(application);
    setStored(application);
  };
  return (
    <FocusColumn>
      {stored ? (
        <Suspense>
          <ReceiptPage opening={opening} {...stored} onChanged={keepStoredApplication} />
        </Suspense>
      ) : (
        <>
          <BackLink id={id} title={title} />
          <p className="mt-4 font-medium text-ink-2 text-ui">
            {department} · {openingLocation(opening)} · {stipend}
          </p>
          <h1 tabIndex={-1} className="mt-2 text-h2">
            Apply for {title}
          </h1>
          <p className="mt-3 mb-6 text-ink-2">
            All fields are required unless marked (optional). Your draft is saved in this browser tab.
          </p>
          <Suspense>
            <ApplyForm jobid={id} onStored={(receipt, email) => show({ receipt, email })} />
          </Suspense>
        </>
      )}
    </FocusColumn>
  );
});

function BackLink({ id, title }: { id: string; title: string }) {
  return (
    <Link
      to={`/job-description/${id}`}
      className="-mt-6 flex min-h-11 w-fit items-center gap-2 rounded-tag text-ink-2 text-ui hover:text-ink"
    >
      <ArrowLeft size={17} aria-hidden />
      Back to {title}
    </Link>
  );
}
