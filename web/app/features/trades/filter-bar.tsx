import type { LogView } from "#features/trades/log-view.ts";
import { PeriodFilter } from "#features/trades/period-filter.tsx";
import { SearchField } from "#features/trades/search-field.tsx";
import { SideSwitch } from "#features/trades/side-switch.tsx";
import { TRADE_TYPES } from "#lib/books.ts";
import { useBrokerOptions } from "#lib/broker-accounts.ts";
import { ChoiceFilter } from "#ui/choice-filter.tsx";

export type FiltersProps = { view: LogView; onChange: (view: LogView) => void };

export type AllFiltersProps = FiltersProps & {
  onClear: () => void;
  /** Number of times the filters were cleared. */
  clears: number;
};

/** Filters of the log, in one line on a wide screen. */
export function FilterBar({ view, onChange, clears }: AllFiltersProps) {
  const brokers = useBrokerOptions();
  return (
    <search
      className="flex flex-wrap gap-2.5 min-[72rem]:flex-nowrap"
      aria-label="Filter the log"
      data-print="no"
    >
      <SearchField
        key={clears}
        value={view.q}
        onChange={(q) => onChange({ ...view, q })}
        className="w-54 min-[72rem]:w-28 min-[72rem]:max-w-54 min-[72rem]:grow"
      />
      <ChoiceFilter
        label="Broker"
        value={view.broker}
        options={brokers}
        onChange={(broker) => onChange({ ...view, broker })}
      />
      <ChoiceFilter
        label="Trade type"
        value={view.tradetype}
        options={TRADE_TYPES}
        onChange={(tradetype) => onChange({ ...view, tradetype })}
      />
      <SideSwitch value={view.side} onChange={(side) => onChange({ ...view, side })} />
      <PeriodFilter view={view} onChange={onChange} />
    </search>
  );
}
