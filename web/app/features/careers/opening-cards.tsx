import type { ReactNode } from "react";
import { Link } from "react-router";
import { type Opening, openingLocation } from "#content/openings.ts";
import { SITE } from "#content/site.ts";
import { Chips } from "#features/careers/chips.tsx";
import { perMonth, Rupees } from "#features/careers/stipend.tsx";
import { useOpenings } from "#features/careers/use-openings.ts";
import { date } from "#lib/format.ts";
import { Eyebrow } from "#ui/eyebrow.tsx";

/** Grid of all openings; each whole card is a link. */
export function OpeningCards() {
  const open = useOpenings();
  return (
    <section aria-labelledby="openings" className="border-line border-t bg-sunken py-20 md:py-28">
      <div className="page-width">
        <Eyebrow>OPPORTUNITIES</Eyebrow>
        <h2 id="openings" tabIndex={-1} className="mt-3 text-h2 outline-none">
          Current Job Openings At {SITE.name}
        </h2>
        {open.length === 0 && (
          <p className="mt-6 max-w-[52ch] text-ink-2 text-lead">
            There are no openings today. New ones will appear here.
          </p>
        )}
        {open.length > 0 && (
          <ul className="ruled-grid mt-10 sm:grid-cols-2 lg:grid-cols-4">
            {open.map((opening) => (
              <Card key={opening.id} opening={opening} />
            ))}
          </ul>
        )}
      </div>
    </section>
  );
}

function Card({ opening }: { opening: Opening }) {
  const { id, title, department, skills, salary, duration, last_date } = opening;
  return (
    <li className="group relative row-span-4 grid grid-rows-subgrid gap-y-0 p-6 hover:bg-brand-soft">
      <p className="flex justify-between gap-4 text-data text-ink-2">
        <span>{department}</span>
        <span className="figures">{id}</span>
      </p>
      <h3 className="mt-4 text-h4">
        <Link
          to={`/job-description/${id}`}
          className="-outline-offset-2 after:absolute after:inset-0 group-hover:text-brand group-hover:underline group-hover:underline-offset-4"
        >
          {title}
        </Link>
      </h3>
      <Chips items={skills} label="Skills" className="mt-5" />
      <dl className="mt-6 self-end text-data">
        <Fact name="Stipend">
          <Rupees text={`${perMonth(salary)} a month`} />
        </Fact>
        <Fact name="Location">{openingLocation(opening)}</Fact>
        <Fact name="Duration">{duration}</Fact>
        <Fact name="Last date">
          <time dateTime={last_date}>{date(last_date)}</time>
        </Fact>
      </dl>
    </li>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex justify-between gap-4 border-line border-t py-2">
      <dt className="shrink-0 text-ink-2">{name}</dt>
      <dd className="text-right font-medium">{children}</dd>
    </div>
  );
}
