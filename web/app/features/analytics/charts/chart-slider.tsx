import { type PointerEvent, useId } from "react";
import { nearest } from "#features/analytics/charts/scale.ts";

export type ChartSliderProps = {
  /** Accessible name, such as "Result by day". */
  label: string;
  /** Position of each value in pixels from the left edge of the chart, ascending. */
  places: readonly number[];
  /** Index of the selected value; undefined if none is selected. */
  at: number | undefined;
  /** Returns a value as a sentence for screen readers. */
  valueText: (index: number) => string;
  onMove: (at: number | undefined) => void;
};

/**
 * Transparent layer over a chart that selects a value. A pointer selects the nearest value. For the keyboard and
 * screen readers it is an invisible range input, which reads out each value.
 */
export function ChartSlider({ label, places, at, valueText, onMove }: ChartSliderProps) {
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
        aria-valuetext={valueText(shown)}
        onChange={(event) => onMove(event.currentTarget.valueAsNumber)}
        onFocus={() => onMove(shown)}
        onBlur={() => onMove(undefined)}
        className="peer pointer-events-none absolute inset-0 size-full appearance-none opacity-0"
      />
      {/* Focus ring, because the range input is invisible. */}
      <span
        aria-hidden="true"
        className="pointer-events-none absolute inset-0 rounded-control outline-focus peer-focus-visible:outline-2"
      />
    </div>
  );
}
