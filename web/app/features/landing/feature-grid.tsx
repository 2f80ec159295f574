import { Link } from "react-router";
import { FEATURES } from "#content/features.ts";
import { FeatureDrawing } from "#features/landing/feature-drawing.tsx";
import { Eyebrow } from "#ui/eyebrow.tsx";

/** Grid of the planned features; each whole card is a link. */
export function FeatureGrid() {
  return (
    <section aria-labelledby="features" className="page-width pb-20 md:pb-28">
      <Eyebrow>COMING NEXT</Eyebrow>
      <div className="mt-3 grid items-end gap-x-16 gap-y-4 lg:grid-cols-[1fr_26rem]">
        <h2 id="features" className="max-w-xl text-h2">
          What your journal will tell you
        </h2>
        <p className="max-w-[44ch] text-ink-2">
          Once your trades are recorded, we can analyse them. Some of this is already available under
          Analytics. We are still building the rest.
        </p>
      </div>
      <ul className="ruled-grid mt-10 sm:grid-cols-2 lg:grid-cols-4">
        {FEATURES.map(({ title, text, drawing }) => (
          <li
            key={title}
            className="group relative row-span-3 grid grid-rows-subgrid gap-y-0 p-6 hover:bg-brand-soft"
          >
            <FeatureDrawing name={drawing} />
            <h3 className="mt-6 text-h4">
              <Link
                to="/coming-soon"
                className="-outline-offset-2 after:absolute after:inset-0 group-hover:text-brand"
              >
                {title}
              </Link>
            </h3>
            <p className="mt-2 text-data text-ink-2">{text}</p>
          </li>
        ))}
      </ul>
    </section>
  );
}
