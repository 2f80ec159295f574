import { FOUNDERS, STORY, VALUES } from "#content/about.ts";
import { SITE } from "#content/site.ts";
import { breadcrumbs } from "#lib/json-ld.ts";
import { organization } from "#lib/json-ld-company.ts";
import { pageMeta } from "#lib/seo.ts";
import { Eyebrow } from "#ui/eyebrow.tsx";

const PATH = "/about-us";

export function meta() {
  return pageMeta({
    title: "About Us",
    description: `Nine evenings over two brokers' spreadsheets, and a cloth-bound book in Kolhapur: how ${SITE.name} began, who builds it, and what we value.`,
    path: PATH,
    updated: "2026-11-23",
    jsonLd: [
      organization(),
      breadcrumbs([
        { name: "Home", path: "/" },
        { name: "About Us", path: PATH },
      ]),
    ],
  });
}

export default function AboutPage() {
  return (
    <div className="page-width pt-12 pb-20 md:pt-16 md:pb-28">
      <Eyebrow>ABOUT US</Eyebrow>
      <h1 tabIndex={-1} className="mt-4 max-w-[18ch] text-display">
        It began with nine evenings and a tax return.
      </h1>
      <div className="mt-12 grid border-line border-y lg:grid-cols-[16rem_1fr]">
        <h2 className="pt-8 font-sans font-semibold text-ink-3 text-ui tracking-normal lg:border-rule lg:border-r lg:pb-8">
          Our story
        </h2>
        <div className="max-w-[66ch] space-y-5 pt-3 pb-10 lg:pt-8 lg:pl-8">
          {STORY.map((paragraph, index) => (
            <p key={paragraph} className={index === 0 ? "text-lead" : "text-ink-2"}>
              {paragraph}
            </p>
          ))}
        </div>
      </div>
      <section aria-labelledby="values" className="pt-20 md:pt-28">
        <h2 id="values" className="text-h2">
          Our values
        </h2>
        <ul className="ruled-grid mt-10 sm:grid-cols-2">
          {VALUES.map(({ title, text }) => (
            <li key={title} className="p-6 md:p-8">
              <h3 className="text-h3">{title}</h3>
              <p className="mt-3 max-w-[52ch] text-ink-2">{text}</p>
            </li>
          ))}
        </ul>
      </section>
      <section aria-labelledby="founders" className="pt-20 md:pt-28">
        <h2 id="founders" className="text-h2">
          Founders
        </h2>
        <ul className="mt-10 border-line border-y">
          {FOUNDERS.map(({ name, role, before, now }) => (
            <li
              key={name}
              className="grid border-line border-b last:border-b-0 sm:grid-cols-[6.5rem_1fr] lg:grid-cols-[16rem_1fr]"
            >
              <p className="pt-7 font-semibold text-ink-3 text-ui sm:border-rule sm:border-r sm:pb-7">
                {role}
              </p>
              <div className="grid gap-x-10 gap-y-2 pt-2 pb-7 sm:pt-7 sm:pl-8 lg:grid-cols-[19rem_1fr]">
                <h3 className="text-h4">{name}</h3>
                <div className="max-w-[62ch] text-ink-2">
                  <p>{before}</p>
                  <p className="mt-1">{now}</p>
                </div>
              </div>
            </li>
          ))}
        </ul>
      </section>
    </div>
  );
}
