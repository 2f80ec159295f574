import { COMPANY } from "#content/company.ts";
import { SITE } from "#content/site.ts";
import { TERMS } from "#content/terms.ts";
import { BackButton } from "#features/shell/back-button.tsx";
import { date } from "#lib/format.ts";
import { breadcrumbs } from "#lib/json-ld.ts";
import { pageMeta } from "#lib/seo.ts";

const PATH = "/terms-and-conditions";

export function meta() {
  return pageMeta({
    title: "Terms and Conditions",
    description: `Terms for job applications at ${SITE.name}: your data, the process, background checks, equal opportunity, and what we do not guarantee.`,
    path: PATH,
    updated: TERMS.updated,
    jsonLd: [
      breadcrumbs([
        { name: "Home", path: "/" },
        { name: "Terms and Conditions", path: PATH },
      ]),
    ],
  });
}

export default function TermsPage() {
  return (
    <div className="page-width py-12 md:py-16">
      <div data-print="no">
        <BackButton />
      </div>
      <h1 tabIndex={-1} className="mt-8 text-h2">
        Terms and Conditions
      </h1>
      <p className="mt-4 max-w-[60ch] text-ink-2 text-lead">
        These terms apply to job and internship applications at {SITE.name}, {COMPANY.address.city}.
      </p>
      <p className="mt-2 text-data text-ink-2">
        Version of <time dateTime={TERMS.updated}>{date(TERMS.updated)}</time>
      </p>
      <ol className="mt-10 border-line border-y">
        {TERMS.sections.map(({ title, paragraphs }, index) => (
          <li
            key={title}
            className="grid grid-cols-[3rem_1fr] border-line border-b last:border-b-0 md:grid-cols-[6.5rem_1fr]"
          >
            <span
              aria-hidden="true"
              className="figures border-rule border-r pt-8 pr-3 text-right font-semibold text-ink-3 md:pr-6"
            >
              {index + 1}
            </span>
            <section className="min-w-0 py-8 pl-4 md:pl-8">
              <h2 className="text-h4">{title}</h2>
              {paragraphs.map((paragraph) => (
                <p key={paragraph} className="mt-3 max-w-[66ch] text-ink-2">
                  {paragraph}
                </p>
              ))}
            </section>
          </li>
        ))}
      </ol>
    </div>
  );
}
