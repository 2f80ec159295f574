import clsx from "clsx";
import { ChevronLeft, ChevronRight, Pause, Play } from "lucide-react";
import { HIGHLIGHTS } from "#content/features.ts";
import { HighlightFigure } from "#features/landing/highlight-figure.tsx";
import { useRotation } from "#features/landing/use-rotation.ts";
import { IconButton } from "#ui/button.tsx";

/** Carousel of the five highlight cards. */
export function Highlights() {
  const { index: shown, moving, step, toggle, pauseHandlers } = useRotation(HIGHLIGHTS.length);
  return (
    <section
      aria-roledescription="carousel"
      aria-label="Product highlights"
      className="flex min-w-0 flex-col"
      {...pauseHandlers}
    >
      <div className="flex h-14 items-center border-line border-b pr-2 pl-5">
        <p className="figures text-data text-ink-2">
          {shown + 1} of {HIGHLIGHTS.length}
        </p>
        <IconButton label="Previous card" onClick={() => step(-1)} className="ml-auto">
          <ChevronLeft size={18} aria-hidden />
        </IconButton>
        <button
          type="button"
          onClick={toggle}
          className="flex h-11 w-22 items-center justify-center gap-2 rounded-control font-semibold text-data hover:bg-sunken"
        >
          {moving ? <Pause size={15} aria-hidden /> : <Play size={15} aria-hidden />}
          {moving ? "Pause" : "Play"}
        </button>
        <IconButton label="Next card" onClick={() => step(1)}>
          <ChevronRight size={18} aria-hidden />
        </IconButton>
      </div>
      {/* All cards share one grid cell: the tallest sets the height, so nothing shifts. */}
      <ul aria-live={moving ? "off" : "polite"} className="grid flex-1">
        {HIGHLIGHTS.map(({ id, title, text }, index) => (
          <li
            key={id}
            className={clsx(
              "col-start-1 row-start-1 flex flex-col p-5 transition-opacity duration-200 ease-out",
              index !== shown && "invisible opacity-0",
            )}
          >
            <h2 className="text-h4">{title}</h2>
            <p className="mt-2 text-data text-ink-2">{text}</p>
            <div className="mt-5 text-data">
              <HighlightFigure id={id} />
            </div>
          </li>
        ))}
      </ul>
      <div aria-hidden="true" className="flex gap-2 px-5 pb-5">
        {HIGHLIGHTS.map(({ id }, index) => (
          <span key={id} className={`h-0.5 flex-1 ${index === shown ? "bg-brand" : "bg-line"}`} />
        ))}
      </div>
    </section>
  );
}
