import { PERKS } from "#content/perks.ts";
import { PerkIcon } from "#features/why-join/perk-icon.tsx";

/**
 * Endless marquee of the perks, in CSS only; with reduced motion it is a static list. The checkbox pauses it without
 * JavaScript, because the script of this part loads late.
 */
export function PerkStrip() {
  return (
    <div className="mt-10 mb-10">
      <div className="overflow-hidden border-line border-y bg-bg">
        <div className="strip">
          <Perks />
          {/* A copy, so that the marquee continues seamlessly. */}
          <Perks clone />
        </div>
      </div>
      <div className="page-width mt-2 flex justify-end motion-reduce:hidden">
        <label className="-mr-3 flex h-11 cursor-pointer items-center gap-2 rounded-control px-3 font-semibold text-data text-ink-2 hover:text-ink">
          <input type="checkbox" className="strip-pause size-4 accent-brand" />
          Pause the strip
        </label>
      </div>
    </div>
  );
}

function Perks({ clone = false }: { clone?: boolean }) {
  return (
    <ul {...(clone ? { "aria-hidden": true, inert: true } : { "aria-label": "Perks" })}>
      {PERKS.map(({ title, text, icon }) => (
        <li key={title} className="flex w-80 shrink-0 gap-4 border-line border-r px-6 py-5">
          <span className="mt-0.5 text-brand">
            <PerkIcon name={icon} />
          </span>
          <div>
            <p className="font-semibold">{title}</p>
            <p className="mt-1 text-data text-ink-2">{text}</p>
          </div>
        </li>
      ))}
    </ul>
  );
}
