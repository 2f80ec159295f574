import type { FiltersProps } from "#features/trades/filter-bar.tsx";
import { SORT_LABELS } from "#features/trades/log-text.ts";
import { SORTS } from "#features/trades/log-view.ts";
import { PeriodFields } from "#features/trades/period-fields.tsx";
import { SideSwitch } from "#features/trades/side-switch.tsx";
import { parseBrokerFilter, TRADE_TYPES } from "#lib/books.ts";
import { useBrokerOptions } from "#lib/broker-accounts.ts";
import { Field } from "#ui/field.tsx";
import { Select } from "#ui/select.tsx";

const ALL = { value: "", label: "All" };
const SORT_OPTIONS = SORTS.map((value) => {
  const text = SORT_LABELS[value];
  return { value, label: text.charAt(0).toUpperCase() + text.slice(1) };
});

/** Fields of the filter dialog: all filters except the search, and the sort order. */
export function FilterFields({ view, onChange }: FiltersProps) {
  const brokers = useBrokerOptions();
  return (
    <div className="grid gap-3 pt-2 text-ink">
      <SideSwitch value={view.side} onChange={(side) => onChange({ ...view, side })} />
      <Field label="Broker" className="min-h-0!">
        {(control) => (
          <Select
            {...control}
            options={[ALL, ...brokers]}
            value={view.broker}
            onChange={({ currentTarget: { value } }) =>
              onChange({ ...view, broker: parseBrokerFilter(value) })
            }
          />
        )}
      </Field>
      <Field label="Trade type" className="min-h-0!">
        {(control) => (
          <Select
            {...control}
            options={[ALL, ...TRADE_TYPES]}
            value={view.tradetype}
            onChange={({ currentTarget: { value } }) =>
              onChange({
                ...view,
                tradetype: TRADE_TYPES.find((option) => option.value === value)?.value ?? "",
              })
            }
          />
        )}
      </Field>
      <PeriodFields view={view} onChange={onChange} />
      <Field label="Sort by" className="min-h-0!">
        {(control) => (
          <Select
            {...control}
            options={SORT_OPTIONS}
            value={view.sort}
            onChange={({ currentTarget: { value } }) =>
              onChange({ ...view, sort: SORTS.find((sort) => sort === value) ?? view.sort })
            }
          />
        )}
      </Field>
    </div>
  );
}
