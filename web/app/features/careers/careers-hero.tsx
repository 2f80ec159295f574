import { ArrowDown } from "lucide-react";
import type { Opening } from "#content/openings.ts";
import { perMonth, Rupees } from "#features/careers/stipend.tsx";
import { useOpenings } from "#features/careers/use-openings.ts";
import { count, plural } from "#lib/format.ts";
import { ButtonLink } from "#ui/button.tsx";
import { Eyebrow } from "#ui/eyebrow.tsx";

type Department = { name: string; titles: string[]; min: number; max: number };

function departments(openings: readonly Opening[]): Department[] {
  const byName = new Map<string, Department>();
  for (const { department: name, title, salary } of openings) {
    const department = byName.get(name) ?? { name, titles: [], min: salary.min, max: salary.max };
    department.titles.push(title.replace(/( Development)? Intern$/, ""));
    department.min = Math.min(department.min, salary.min);
    department.max = Math.max(department.max, salary.max);
    byName.set(name, department);
  }
  return [...byName.values()];
}

export function CareersHero() {
  return (
    <div className="page-width grid items-center gap-x-16 gap-y-12 py-12 md:py-16 lg:grid-cols-[1fr_34rem]">
      <div>
        <Eyebrow>CAREERS</Eyebrow>
        <h1 tabIndex={-1} className="mt-4 max-w-[14ch] text-display">
          Write the book that traders open every day.
        </h1>
        <p className="mt-6 max-w-[46ch] text-ink-2 text-lead">
          Paid internships in our offices across India, and from home. Real work from the first week, with an
          experienced colleague beside you.
        </p>
        <div className="mt-7 flex flex-wrap gap-3">
          {/* A browser navigation, so that it also scrolls without JavaScript. */}
          <ButtonLink to="#openings" reloadDocument iconEnd={<ArrowDown size={17} aria-hidden />}>
            View Open Positions
          </ButtonLink>
          <ButtonLink to="/about-us" variant="secondary">
            Explore More
          </ButtonLink>
        </div>
      </div>
      <OpenNow />
    </div>
  );
}

/** Table of the open departments with number of openings and stipend. */
function OpenNow() {
  const openings = useOpenings();
  if (openings.length === 0) return null;
  const seats = openings.reduce((sum, opening) => sum + opening.seats, 0);
  return (
    <div className="overflow-hidden rounded-panel border border-line bg-surface">
      <table className="w-full text-data">
        <caption className="border-line border-b px-5 py-4 text-left font-heading font-semibold text-h4">
          Open now
        </caption>
        <thead className="text-ink-2">
          <tr className="border-line border-b">
            <th
              scope="col"
              className="w-[6.5rem] border-rule border-r px-3 py-2.5 text-right font-normal sm:px-5"
            >
              Openings
            </th>
            <th scope="col" className="px-3 py-2.5 text-left font-normal sm:px-5">
              Department
            </th>
            <th scope="col" className="px-3 py-2.5 text-right font-normal sm:px-5">
              Stipend per month
            </th>
          </tr>
        </thead>
        <tbody>
          {departments(openings).map(({ name, titles, min, max }) => (
            <tr key={name} className="border-line border-b">
              <td className="figures border-rule border-r px-3 py-3 text-right font-semibold text-h4 sm:px-5">
                {count(titles.length)}
              </td>
              <th scope="row" className="px-3 py-3 text-left font-semibold sm:px-5">
                {name}
                <span className="block font-normal text-ink-3 text-floor">{titles.join(", ")}</span>
              </th>
              <td className="figures px-3 py-3 text-right sm:px-5">
                <Rupees text={perMonth({ min, max })} />
              </td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr className="border-line-strong border-t-2">
            <td className="figures border-rule border-r px-3 py-3 text-right font-semibold text-h4 sm:px-5">
              <span className="double-rule inline-block">{count(openings.length)}</span>
            </td>
            <td colSpan={2} className="px-3 py-3 text-ink-2 sm:px-5">
              {plural(seats, "position")} in total
            </td>
          </tr>
        </tfoot>
      </table>
    </div>
  );
}
