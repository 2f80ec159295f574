import clsx from "clsx";
import { Check, ChevronDown } from "lucide-react";
import type { ReactNode } from "react";
import { RECRUITMENT } from "#content/recruitment.ts";
import { ApplyLink } from "#features/careers/apply-link.tsx";
import { Chips } from "#features/careers/chips.tsx";
import type { Job } from "#features/careers/prerendered-job.ts";
import { date } from "#lib/format.ts";

/** Number of skills shown before "Show more", fixed by the specification. */
const SKILLS_SHOWN = 4;

/** The job description in sections: headings left of the margin rule, text on the right. */
export function JobText({ job }: { job: Job }) {
  return (
    <div className="min-w-0 lg:col-start-1 lg:row-start-1">
      <Section title="About us">
        <p className="max-w-[62ch]">{job.Aboutus}</p>
      </Section>
      <Section title="Tech stack">
        <Chips items={job.TechStack} />
      </Section>
      <Section title="Experience">
        <p className="max-w-[62ch]">{job.Experience}</p>
      </Section>
      <Section title="Key skills and requirements">
        <Skills items={job.KeySkillsandRequirements.Technical} />
      </Section>
      <Section title="Key responsibilities">
        <div className="space-y-6">
          {Object.entries(job.KeyResponsibilities).map(([heading, items]) => (
            <div key={heading}>
              <h3 className="mb-2 font-sans font-semibold text-base tracking-normal">{heading}</h3>
              <DashList items={items} />
            </div>
          ))}
        </div>
      </Section>
      <Section title="Perks and benefits">
        <ul className="grid max-w-[62ch] gap-x-8 gap-y-2.5 sm:grid-cols-2">
          {job.PerksandBenefits.map((perk) => (
            <li key={perk} className="flex gap-2.5">
              <Check size={16} className="mt-1.5 shrink-0 text-brand" aria-hidden />
              {perk}
            </li>
          ))}
        </ul>
      </Section>
      <Section title="What happens next">
        <ol className="max-w-[62ch] border-line border-t">
          {RECRUITMENT.steps.map(({ id, title, duration }) => (
            <li key={id} className="flex items-baseline gap-4 border-line border-b py-2.5">
              <span aria-hidden="true" className="figures font-heading font-semibold text-brand text-h4">
                {id}
              </span>
              <span className="flex-1 font-medium">{title}</span>
              <span className="text-data text-ink-2">{duration}</span>
            </li>
          ))}
        </ol>
        <div className="mt-8 flex flex-wrap items-center gap-x-5 gap-y-3">
          <ApplyLink id={job.JobID} />
          <p className="text-data text-ink-2">Open until {date(job.LastDate)}, 11:59 pm</p>
        </div>
      </Section>
    </div>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="grid md:grid-cols-[10.5rem_minmax(0,1fr)]">
      <h2 className="border-rule pt-8 pr-4 text-h4 max-md:border-l max-md:pl-5 md:border-r md:pb-8">
        {title}
      </h2>
      <div className="min-w-0 border-rule pt-3 max-md:border-l max-md:pb-2 max-md:pl-5 md:py-8 md:pl-8">
        {children}
      </div>
    </section>
  );
}

/** The hidden skills are part of the page, so that they work without JavaScript and with the browser's search. */
function Skills({ items }: { items: readonly string[] }) {
  const rest = items.slice(SKILLS_SHOWN);
  return (
    <>
      <DashList items={items.slice(0, SKILLS_SHOWN)} />
      {rest.length > 0 && (
        <details className="group flex flex-col items-start">
          <summary className="order-1 mt-4 inline-flex h-11 list-none items-center gap-2 rounded-control border border-line-strong bg-surface px-4 font-semibold text-data hover:border-brand hover:text-brand [&::-webkit-details-marker]:hidden">
            <span className="group-open:hidden">Show {rest.length} more</span>
            <span className="hidden group-open:inline">Show less</span>
            <ChevronDown size={16} aria-hidden className="group-open:rotate-180" />
          </summary>
          <DashList items={rest} className="pt-2" />
        </details>
      )}
    </>
  );
}

function DashList({ items, className }: { items: readonly string[]; className?: string }) {
  return (
    <ul className={clsx("max-w-[62ch] space-y-2", className)}>
      {items.map((item) => (
        <li
          key={item}
          className="relative pl-6 before:absolute before:left-0 before:text-ink-3 before:content-['–']"
        >
          {item}
        </li>
      ))}
    </ul>
  );
}
