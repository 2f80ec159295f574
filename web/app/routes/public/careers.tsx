import { SITE } from "#content/site.ts";
import { WhyJoin } from "#features/why-join/why-join.tsx";
import { pageMeta } from "#lib/seo.ts";

export function meta() {
  return pageMeta({
    title: "Careers",
    description: `Work on the account book of India's traders: what it is like at ${SITE.name}, and how to write to us.`,
    path: "/careers",
    updated: "2026-11-20",
  });
}

export default function CareersPage() {
  return (
    <>
      <div className="page-width py-12 md:py-16">
        <h1 tabIndex={-1} className="max-w-[18ch] text-display">
          Work on the record.
        </h1>
        <p className="mt-6 max-w-[52ch] text-ink-2 text-lead">
          Our openings will stand here soon. Until then, tell us what you do well:{" "}
          <a href={`mailto:${SITE.email}`} className="link">
            {SITE.email}
          </a>
        </p>
      </div>
      <WhyJoin />
    </>
  );
}
