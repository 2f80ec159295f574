import clsx from "clsx";
import { Calendar, ChevronDown } from "lucide-react";
import { type ToggleEvent, useId, useRef, useState } from "react";
import { ALL_TIME, namedPeriod, type Period, type Span } from "#features/analytics/filters/periods.ts";
import { period } from "#lib/period.ts";
import { DayField } from "#ui/day-field.tsx";

export type PeriodMenuProps = { value: Span; options: readonly Period[]; onChange: (span: Span) => void };

const GAP = 6;
const EDGE = 16;
const WIDTH = 320;

/** Button with the chosen period; opens a list of named periods and two date fields for any other period. */
export function PeriodMenu({ value, options, onChange }: PeriodMenuProps) {
  const id = useId();
  const [opened, setOpened] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const named = namedPeriod(options, value);
  const active = Boolean(value.from || value.to);

  // A popover is in the top layer and cannot be positioned by its parent, so it is placed when it opens.
  function place(event: ToggleEvent<HTMLDivElement>) {
    const at = button.current?.getBoundingClientRect();
    setOpened(event.newState === "open");
    if (event.newState !== "open" || !at) return;
    const { style } = event.currentTarget;
    const room = document.documentElement.clientWidth - EDGE - WIDTH;
    style.top = `${at.bottom + GAP}px`;
    style.left = `${Math.max(Math.min(at.left, room), EDGE)}px`;
    style.maxHeight = `calc(100dvh - ${at.bottom + GAP + EDGE}px)`;
  }

  function choose(span: Span) {
    onChange({ from: span.from, to: span.to });
    document.getElementById(id)?.hidePopover();
  }

  return (
    <div className="min-w-0 max-sm:flex-1">
      <button
        ref={button}
        type="button"
        popoverTarget={id}
        className={clsx(
          "flex h-11 w-full min-w-0 items-center gap-2 rounded-control border px-3 text-ui transition-colors duration-120 ease-out sm:h-10",
          active
            ? "border-brand bg-brand-soft font-semibold text-brand"
            : "border-line-strong bg-surface hover:border-ink-3",
        )}
      >
        <Calendar size={16} aria-hidden className="shrink-0" />
        <span className="sr-only">Period:</span>
        <span className="grow truncate text-left font-semibold">
          {named?.label ?? period(value.from || null, value.to || null)}
        </span>
        <ChevronDown size={16} aria-hidden className="shrink-0" />
      </button>
      <div
        id={id}
        popover="auto"
        onBeforeToggle={place}
        className="fixed inset-auto w-80 max-w-[calc(100vw-2rem)] overflow-y-auto rounded-panel border border-line bg-surface p-4 text-ink shadow-lift"
      >
        {opened && (
          <>
            <ul className="grid grid-cols-2 gap-1">
              {options.map((option) => (
                <li key={option.label} className={option === ALL_TIME ? "col-span-2" : ""}>
                  <button
                    type="button"
                    aria-pressed={option === named}
                    onClick={() => choose(option)}
                    className={clsx(
                      "h-10 w-full rounded-tag px-2.5 text-left font-medium text-ui",
                      option === named ? "bg-brand-soft text-brand" : "hover:bg-sunken",
                    )}
                  >
                    {option.label}
                  </button>
                </li>
              ))}
            </ul>
            <fieldset className="mt-3 grid grid-cols-1 gap-3 border-line border-t pt-3 min-[22rem]:grid-cols-2">
              <legend className="sr-only">Custom period</legend>
              <DayField
                label="From"
                value={value.from}
                onChange={(from) => onChange(adjustPeriod(from, value.to, "from"))}
              />
              <DayField
                label="To"
                value={value.to}
                onChange={(to) => onChange(adjustPeriod(value.from, to, "to"))}
              />
            </fieldset>
          </>
        )}
      </div>
    </div>
  );
}

/** Clears the other end of the period if it lies on the wrong side of the end just chosen. */
function adjustPeriod(from: string, to: string, chosen: "from" | "to"): Span {
  if (!from || !to || from <= to) return { from, to };
  return chosen === "from" ? { from, to: "" } : { from: "", to };
}
