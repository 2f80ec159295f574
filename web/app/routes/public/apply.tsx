import { ArrowLeft } from "lucide-react";
import { lazy, memo, Suspense, useState } from "react";
import { Link } from "react-router";
import { type Opening, openingOf, placeOf } from "#content/openings.ts";
import type { Receipt } from "#features/application/send-application.ts";
import { NoOpening } from "#features/careers/no-opening.tsx";
import { FocusShell } from "#features/shell/focus-shell.tsx";
import { pageMeta } from "#lib/seo.ts";
import { useToday } from "#lib/use-today.ts";
import type { Route } from "./+types/apply.ts";

// The questions stand in the page as it is built; what makes them work comes behind it.
const ApplyForm = lazy(async () => ({
  default: (await import("#features/application/apply-form.tsx")).ApplyForm,
}));
const ReceiptPage = lazy(async () => ({
  default: (await import("#features/application/receipt-page.tsx")).ReceiptPage,
}));

export function meta({ params }: Route.MetaArgs) {
  const opening = openingOf(params.jobid);
  if (!opening) return [];
  return pageMeta({
    title: `Apply for ${opening.title}`,
    description: `Apply for ${opening.title}, without an account.`,
    noindex: true,
  });
}

export default function ApplyPage({ params }: Route.ComponentProps) {
  const opening = openingOf(params.jobid);
  const today = useToday();
  // The page was built some days ago.
  const open = opening && (today === undefined || today <= opening.last_date);
  if (open) return <Applying key={opening.id} opening={opening} />;
  return (
    <FocusShell>
      <NoOpening />
    </FocusShell>
  );
}

type Stored = { receipt: Receipt; email: string };

/**
 * Not drawn anew with the page: a form that is drawn already, and whose script is on its way, would be taken out, with
 * all that was typed into it.
 */
const Applying = memo(function Applying({ opening }: { opening: Opening }) {
  const { id, title, department, stipend } = opening;
  const [stored, setStored] = useState<Stored>();
  return (
    <FocusShell aside={<BackLink id={id} title={title} />}>
      {stored ? (
        <Suspense>
          <ReceiptPage opening={opening} {...stored} />
        </Suspense>
      ) : (
        <>
          <p className="font-medium text-ink-2 text-ui">
            {department} · {placeOf(opening)} · {stipend}
          </p>
          <h1 tabIndex={-1} className="mt-2 text-h2">
            Apply for {title}
          </h1>
          <p className="mt-3 mb-6 text-ink-2">
            Every question needs an answer unless it is marked (optional). Your draft stays in this browser
            tab.
          </p>
          <Suspense>
            <ApplyForm jobid={id} onStored={(receipt, email) => setStored({ receipt, email })} />
          </Suspense>
        </>
      )}
    </FocusShell>
  );
});

function BackLink({ id, title }: { id: string; title: string }) {
  return (
    <Link
      to={`/job-description/${id}`}
      aria-label={`Back to ${title}`}
      className="flex min-h-11 items-center gap-2 rounded-tag text-ink-2 text-ui hover:text-ink"
    >
      <ArrowLeft size={17} aria-hidden />
      <span className="sm:hidden">Back</span>
      <span className="max-sm:hidden">Back to {title}</span>
    </Link>
  );
}
