import type { FiltersProps } from "#features/trades/filter-bar.tsx";
import { withDay } from "#features/trades/log-view.ts";
import { DayField } from "#ui/day-field.tsx";

/** Fields for the first and the last day of the period; both are optional. */
export function PeriodFields({ view, onChange }: FiltersProps) {
  return (
    <fieldset className="grid grid-cols-1 gap-3 min-[22rem]:grid-cols-2">
      <legend className="mb-1.5 font-semibold text-ui">Period</legend>
      <DayField label="From" value={view.from} onChange={(value) => onChange(withDay(view, "from", value))} />
      <DayField label="To" value={view.to} onChange={(value) => onChange(withDay(view, "to", value))} />
    </fieldset>
  );
}
