import clsx from "clsx";
import { Calendar, ChevronDown, X } from "lucide-react";
import { lazy, Suspense, type ToggleEvent, useId, useRef, useState } from "react";
import type { FiltersProps } from "#features/trades/filter-bar.tsx";
import { period } from "#lib/period.ts";

// Loaded when the menu opens for the first time.
const PeriodFields = lazy(async () => ({
  default: (await import("#features/trades/period-fields.tsx")).PeriodFields,
}));

const GAP = 6;
const EDGE = 16;

/** Button with the chosen period that opens its two date fields. */
export function PeriodFilter({ view, onChange }: FiltersProps) {
  const id = useId();
  const [opened, setOpened] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const label = period(view.from, view.to);

  // A popover is in the top layer and cannot be positioned by its parent, so it is placed when it opens.
  function place(event: ToggleEvent<HTMLDivElement>) {
    const at = button.current?.getBoundingClientRect();
    if (event.newState !== "open" || !at) return;
    setOpened(true);
    const { style } = event.currentTarget;
    const room = document.documentElement.clientWidth - EDGE - 320;
    style.top = `${at.bottom + GAP}px`;
    style.left = `${Math.max(Math.min(at.left, room), EDGE)}px`;
  }

  return (
    <div className="flex min-w-0">
      <button
        ref={button}
        type="button"
        popoverTarget={id}
        className={clsx(
          "flex h-10 min-w-0 items-center gap-2 border px-3 text-ui transition-colors duration-120 ease-out",
          label
            ? "rounded-l-control border-brand border-r-0 bg-brand-soft font-semibold text-brand"
            : "rounded-control border-line-strong bg-surface hover:border-ink-3",
        )}
      >
        <Calendar size={16} aria-hidden className={clsx("shrink-0", !label && "text-ink-2")} />
        <span className={label ? "sr-only" : "text-ink-2"}>Period</span>
        <span className="truncate font-semibold" title={label || undefined}>
          {label || "All"}
        </span>
        {!label && <ChevronDown size={16} aria-hidden />}
      </button>
      {label && (
        <button
          type="button"
          aria-label="Clear period"
          onClick={() => {
            onChange({ ...view, from: "", to: "" });
            button.current?.focus();
          }}
          className="flex h-10 w-9 shrink-0 items-center justify-center rounded-r-control border border-brand border-l-0 bg-brand-soft text-brand hover:text-ink"
        >
          <X size={16} aria-hidden />
        </button>
      )}
      <div
        id={id}
        popover="auto"
        onBeforeToggle={place}
        className="fixed inset-auto w-80 max-w-[calc(100vw-2rem)] rounded-panel border border-line bg-surface p-4 text-ink shadow-lift"
      >
        {/* The placeholder is as high as the fields. */}
        <Suspense fallback={<div className="h-24" />}>
          {opened && <PeriodFields view={view} onChange={onChange} />}
        </Suspense>
      </div>
    </div>
  );
}
