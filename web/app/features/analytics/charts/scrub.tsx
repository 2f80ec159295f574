import { type PointerEvent, useId } from "react";
import { nearest } from "#features/analytics/charts/scale.ts";

export type ScrubProps = {
  /** What is stepped through: "Days". */
  label: string;
  /** Where each value stands, in pixels from the left edge of the chart. */
  places: readonly number[];
  /** Undefined while nothing is pointed at. */
  at: number | undefined;
  /** A value as a sentence. */
  words: (index: number) => string;
  onMove: (at: number | undefined) => void;
};

/**
 * Over the whole chart: a finger or the mouse goes to the value that is nearest. For the keys it is the platform's
 * own slider, unseen, which reads each value out.
 */
export function Scrub({ label, places, at, words, onMove }: ScrubProps) {
  const id = useId();
  const last = places.length - 1;
  const shown = at ?? last;

  function point(event: PointerEvent<HTMLDivElement>) {
    onMove(nearest(places, event.clientX - event.currentTarget.getBoundingClientRect().left));
  }

  return (
    <div
      onPointerDown={point}
      onPointerMove={point}
      onPointerLeave={() => onMove(undefined)}
      className="absolute inset-0 touch-pan-y"
      data-print="no"
    >
      <label htmlFor={id} className="sr-only">
        {label}
      </label>
      <input
        id={id}
        type="range"
        min={0}
        max={last}
        step={1}
        value={shown}
        aria-valuetext={words(shown)}
        onChange={(event) => onMove(event.currentTarget.valueAsNumber)}
        onFocus={() => onMove(shown)}
        onBlur={() => onMove(undefined)}
        className="peer pointer-events-none absolute inset-0 size-full appearance-none opacity-0"
      />
      {/* The slider is unseen, and its ring with it. */}
      <span
        aria-hidden="true"
        className="pointer-events-none absolute inset-0 rounded-control outline-focus peer-focus-visible:outline-2"
      />
    </div>
  );
}
