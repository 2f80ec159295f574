import { findOpening, openingLocation } from "#content/openings.ts";
import { SITE } from "#content/site.ts";
import { JobPage } from "#features/careers/job-page.tsx";
import { NoOpening } from "#features/careers/no-opening.tsx";
import { breadcrumbs } from "#lib/json-ld.ts";
import { pageMeta } from "#lib/seo.ts";
import type { Route } from "./+types/job-description.ts";

export function meta({ params }: Route.MetaArgs) {
  const opening = findOpening(params.jobid);
  if (!opening) return [];
  const { id, title, stipend, duration, posted_on } = opening;
  const path = `/job-description/${id}`;
  return pageMeta({
    title,
    description: `${title} at ${SITE.name}: ${openingLocation(opening)}, ${duration}, ${stipend}. What you will do, and how to apply.`,
    path,
    updated: posted_on,
    jsonLd: [
      breadcrumbs([
        { name: "Home", path: "/" },
        { name: "Careers", path: "/careers" },
        { name: title, path },
      ]),
    ],
  });
}

export default function JobDescriptionPage({ params }: Route.ComponentProps) {
  const opening = findOpening(params.jobid);
  if (opening) return <JobPage key={opening.id} opening={opening} />;
  return (
    <div className="page-width py-12 md:py-16">
      <NoOpening />
    </div>
  );
}
