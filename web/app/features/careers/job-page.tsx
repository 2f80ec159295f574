import { ArrowLeft } from "lucide-react";
import { useState } from "react";
import { Link } from "react-router";
import { type Opening, openingLocation } from "#content/openings.ts";
import { ApplyLink } from "#features/careers/apply-link.tsx";
import { JobFacts } from "#features/careers/job-facts.tsx";
import { jobPosting } from "#features/careers/job-posting.ts";
import { JobText } from "#features/careers/job-text.tsx";
import { NoOpening } from "#features/careers/no-opening.tsx";
import { dataElementId, toScriptJson } from "#features/careers/prerendered-job.ts";
import { useJob } from "#features/careers/use-job.ts";
import { Button } from "#ui/button.tsx";
import { Spinner } from "#ui/spinner.tsx";

/** Page of one opening. Its title is built in; the description comes with the page or from the server. */
export function JobPage({ opening }: { opening: Opening }) {
  const { id, title, department, salary } = opening;
  const { job, closed, slow, retry } = useJob(id);
  const [prerendered] = useState(job);
  if (closed) {
    return (
      <div className="page-width py-12 md:py-16">
        <NoOpening />
      </div>
    );
  }
  return (
    <article className="page-width pt-6 pb-20 md:pb-28">
      <Link
        to="/careers#openings"
        reloadDocument
        className="link inline-flex min-h-11 items-center gap-2 text-data"
      >
        <ArrowLeft size={16} aria-hidden />
        Current Job Openings
      </Link>
      <header className="grid items-end gap-x-12 gap-y-6 border-line border-b pt-4 pb-8 lg:grid-cols-[1fr_21rem]">
        <div>
          <p className="font-medium text-ink-2 text-ui">
            {department} · {openingLocation(opening)}
          </p>
          <h1 tabIndex={-1} className="mt-2 text-display">
            {title}
          </h1>
        </div>
        <ApplyLink id={id} className="w-full">
          <p className="mt-2 text-center text-data text-ink-2">About 5 minutes. No account needed.</p>
        </ApplyLink>
      </header>
      {job ? (
        <>
          <div className="grid gap-x-12 lg:grid-cols-[1fr_21rem]">
            <JobFacts job={job} />
            <JobText job={job} />
          </div>
          {/* For search engines and for hydration; not needed after a navigation inside the app. */}
          {prerendered && (
            <>
              <script type="application/ld+json">{toScriptJson(jobPosting(prerendered, salary))}</script>
              <script type="application/json" id={dataElementId(id)}>
                {toScriptJson(prerendered)}
              </script>
            </>
          )}
        </>
      ) : (
        <JobLoading slow={slow} onRetry={retry} />
      )}
    </article>
  );
}

function JobLoading({ slow, onRetry }: { slow: boolean; onRetry: () => void }) {
  return (
    <div className="flex min-h-80 flex-col items-center justify-center gap-4">
      <div role="status" className="flex flex-col items-center gap-4 text-ink-2 text-ui">
        <Spinner size={28} />
        <span className="sr-only">Loading the job description</span>
        {slow && <p>Still trying.</p>}
      </div>
      {slow && (
        <Button variant="secondary" onClick={onRetry}>
          Retry
        </Button>
      )}
    </div>
  );
}
