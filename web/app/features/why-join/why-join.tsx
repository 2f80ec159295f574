import { PERKS, WHY_JOIN } from "#content/perks.ts";
import { PerkIcon } from "#features/why-join/perk-icon.tsx";
import { PerkStrip } from "#features/why-join/perk-strip.tsx";
import { Eyebrow } from "#ui/eyebrow.tsx";

const CARD_COUNT = 6;

/** Marquee of all perks, and the first six as cards. */
export function WhyJoin() {
  return (
    <section aria-labelledby="why-join" className="border-line border-t bg-sunken py-20 md:py-28">
      <div className="page-width">
        <Eyebrow>{WHY_JOIN.eyebrow}</Eyebrow>
        <div className="mt-3 grid items-end gap-x-16 gap-y-4 lg:grid-cols-[1fr_29rem]">
          <h2 id="why-join" className="text-h2">
            {WHY_JOIN.heading}
          </h2>
          <p className="max-w-[52ch] text-ink-2 text-lead">{WHY_JOIN.intro}</p>
        </div>
      </div>
      <PerkStrip />
      <div className="page-width">
        <ul className="ruled-grid sm:grid-cols-2 lg:grid-cols-3">
          {PERKS.slice(0, CARD_COUNT).map(({ title, text, icon }) => (
            <li key={title} className="grid grid-cols-[4rem_1fr]">
              <span className="flex justify-center border-rule border-r pt-6 text-brand">
                <PerkIcon name={icon} />
              </span>
              <div className="px-5 py-6">
                <h3 className="text-h4">{title}</h3>
                <p className="mt-2 text-data text-ink-2">{text}</p>
              </div>
            </li>
          ))}
        </ul>
      </div>
    </section>
  );
}
