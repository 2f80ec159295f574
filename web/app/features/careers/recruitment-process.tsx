import { Check, Clock } from "lucide-react";
import { RECRUITMENT } from "#content/recruitment.ts";
import { Eyebrow } from "#ui/eyebrow.tsx";

/** The recruitment steps with their total duration. */
export function RecruitmentProcess() {
  return (
    <section aria-labelledby="process" className="page-width py-20 md:py-28">
      <Eyebrow>{RECRUITMENT.eyebrow}</Eyebrow>
      <h2 id="process" className="mt-3 text-h2">
        {RECRUITMENT.heading}
      </h2>
      <div className="mt-10 overflow-hidden rounded-panel border border-line bg-surface">
        <ol>
          {RECRUITMENT.steps.map(({ id, title, description, duration, details }) => (
            <li
              key={id}
              className="grid grid-cols-[3rem_minmax(0,1fr)] border-line border-b md:grid-cols-[6.5rem_minmax(0,1fr)]"
            >
              <span
                aria-hidden="true"
                className="figures border-rule border-r pt-7 pr-3 text-right font-heading font-semibold text-brand text-h3 md:pr-6"
              >
                {id}
              </span>
              <div className="grid items-center gap-x-8 gap-y-4 px-4 py-7 md:px-7 lg:grid-cols-[20rem_1fr_auto]">
                <div>
                  <h3 className="text-h4">{title}</h3>
                  <p className="mt-2 text-ink-2 text-ui">{description}</p>
                </div>
                <ul className="grid gap-x-6 gap-y-2 text-data text-ink-2 sm:grid-cols-2">
                  {details.map((detail) => (
                    <li key={detail} className="flex gap-2.5">
                      <Check size={16} className="mt-0.5 shrink-0 text-brand" aria-hidden />
                      {detail}
                    </li>
                  ))}
                </ul>
                <p className="flex items-center gap-2 whitespace-nowrap font-semibold text-data">
                  <Clock size={16} className="text-ink-3" aria-hidden />
                  {duration}
                </p>
              </div>
            </li>
          ))}
        </ol>
        <div className="grid grid-cols-[3rem_minmax(0,1fr)] border-line-strong border-t md:grid-cols-[6.5rem_minmax(0,1fr)]">
          <span className="border-rule border-r" />
          <p className="flex flex-wrap justify-between gap-x-8 gap-y-2 px-4 py-4 text-ui md:px-7">
            <span className="text-ink-2">Four interviews. We email you after each one.</span>
            <strong className="double-rule font-semibold">{RECRUITMENT.total}</strong>
          </p>
        </div>
      </div>
    </section>
  );
}
