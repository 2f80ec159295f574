import clsx from "clsx";
import { ArrowLeftRight, Equal, Plus, TriangleAlert, X } from "lucide-react";
import type { ReviewFilter } from "#features/import/review-filters.ts";
import { count } from "#lib/format.ts";

const FILTERS = [
  { filter: "all", label: "All rows", Icon: undefined, ink: "" },
  { filter: "added", label: "New", Icon: Plus, ink: "text-brand" },
  { filter: "duplicate", label: "Already there", Icon: Equal, ink: "text-ink-3" },
  { filter: "conflict", label: "Conflicts", Icon: ArrowLeftRight, ink: "text-warn" },
  { filter: "warning", label: "Warnings", Icon: TriangleAlert, ink: "text-warn" },
  { filter: "skipped", label: "Skipped", Icon: X, ink: "text-loss" },
] as const;

export type ReviewFilterBarProps = {
  counts: Readonly<Record<ReviewFilter, number>>;
  filter: ReviewFilter;
  onFilter: (filter: ReviewFilter) => void;
};

/** Buttons that show the counts of a file and filter its rows. */
export function ReviewFilterBar({ counts, filter, onFilter }: ReviewFilterBarProps) {
  return (
    <fieldset className="grid grid-cols-2 gap-px overflow-hidden rounded-t-panel bg-line sm:grid-cols-3 lg:grid-cols-6">
      <legend className="sr-only">Show</legend>
      {FILTERS.map(({ filter: own, label, Icon, ink }) => (
        <button
          key={own}
          type="button"
          aria-pressed={own === filter}
          onClick={() => onFilter(own)}
          className={clsx(
            "border-b-2 px-4 py-2.5 text-left -outline-offset-2",
            "transition-colors duration-120 ease-out",
            own === filter ? "border-brand bg-brand-soft" : "border-transparent bg-surface hover:bg-sunken",
          )}
        >
          <span className="figures block font-heading font-semibold text-h4">{count(counts[own])}</span>
          <span
            className={clsx(
              "flex items-center gap-1.5 text-data",
              own === filter ? "font-semibold" : "text-ink-2",
            )}
          >
            {Icon && <Icon size={15} strokeWidth={2.25} className={clsx("shrink-0", ink)} aria-hidden />}
            {label}
          </span>
        </button>
      ))}
    </fieldset>
  );
}
