import { BROKERS, TRADE_TYPES } from "#content/books.ts";
import type { FiltersProps } from "#features/trades/filter-bar.tsx";
import { SORTS } from "#features/trades/log-view.ts";
import { SORT_WORDS } from "#features/trades/log-words.ts";
import { PeriodFields } from "#features/trades/period-fields.tsx";
import { SideSwitch } from "#features/trades/side-switch.tsx";
import { Field } from "#ui/field.tsx";
import { Select } from "#ui/select.tsx";

const ALL = { value: "", label: "All" };
const ORDERS = SORTS.map((value) => {
  const words = SORT_WORDS[value];
  return { value, label: words.charAt(0).toUpperCase() + words.slice(1) };
});

/** All filters but the search, and the order, one under the other. */
export function FilterFields({ view, onChange }: FiltersProps) {
  return (
    <div className="grid gap-3 pt-2 text-ink">
      <SideSwitch value={view.side} onChange={(side) => onChange({ ...view, side })} />
      <Field label="Broker" className="min-h-0!">
        {(control) => (
          <Select
            {...control}
            options={[ALL, ...BROKERS]}
            value={view.broker}
            onChange={({ currentTarget: { value } }) =>
              onChange({ ...view, broker: BROKERS.find((option) => option.value === value)?.value ?? "" })
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
      <Field label="Order" className="min-h-0!">
        {(control) => (
          <Select
            {...control}
            options={ORDERS}
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
