import clsx from "clsx";
import { ListFilter, X } from "lucide-react";
import { type ReactNode, useCallback, useMemo, useState } from "react";
import { useSearchParams } from "react-router";
import type { Overview } from "#features/analytics/analytics-api.ts";
import {
  countFilters,
  type Filters,
  NO_FILTERS,
  parseFilters,
  parseUnit,
  writeFilters,
} from "#features/analytics/filters/analytics-view.ts";
import { SEGMENTS, SIDES } from "#features/analytics/filters/groupings.ts";
import { PeriodMenu } from "#features/analytics/filters/period-menu.tsx";
import { periods } from "#features/analytics/filters/periods.ts";
import { UNITS } from "#features/analytics/filters/units.ts";
import { useViewer } from "#features/analytics/viewer.ts";
import { useBrokerOptions } from "#lib/broker-accounts.ts";
import { istDate } from "#lib/format.ts";
import { Button } from "#ui/button.tsx";
import { ChoiceFilter } from "#ui/choice-filter.tsx";
import { Dialog } from "#ui/dialog.tsx";

export type FilterBarProps = {
  filters: Filters;
  scope: Overview["scope"] | undefined;
  wide: boolean;
  onChange: (filters: Filters) => void;
};

/** Sticky bar with the filters of the page. On a phone it shows the period, and a button for the other filters. */
export function FilterBar({ filters, scope, wide, onChange }: FilterBarProps) {
  const first = scope?.from ?? undefined;
  const options = useMemo(() => periods(istDate(new Date().toISOString()), first), [first]);
  const set = countFilters(filters);
  const choices = <Choices filters={filters} symbols={scope?.symbols ?? []} onChange={onChange} />;
  return (
    <search
      aria-label="Filter the figures"
      data-print="no"
      className="sticky top-16 z-10 -mx-4 flex flex-wrap gap-2.5 border-line border-b bg-bg px-4 py-3 desk:-mx-8 desk:px-8"
    >
      <PeriodMenu value={filters} options={options} onChange={(span) => onChange({ ...filters, ...span })} />
      {wide ? (
        choices
      ) : (
        <FilterDialog filters={filters} onChange={onChange}>
          {choices}
        </FilterDialog>
      )}
      {wide && set > 0 && (
        <Button
          variant="quiet"
          size="sm"
          icon={<X size={15} aria-hidden />}
          onClick={() => onChange({ ...NO_FILTERS, unit: filters.unit })}
          className="px-2.5! text-data!"
        >
          Clear filters
        </Button>
      )}
    </search>
  );
}

type ChoicesProps = { filters: Filters; symbols: readonly string[]; onChange: (filters: Filters) => void };

function Choices({ filters, symbols, onChange }: ChoicesProps) {
  const brokers = useBrokerOptions(useViewer().requestInit);
  // The symbol of the address may not be among the listed ones.
  const listed = !filters.symbol || symbols.includes(filters.symbol) ? symbols : [filters.symbol, ...symbols];
  return (
    <>
      <ChoiceFilter
        label="Broker"
        value={filters.broker}
        options={brokers}
        onChange={(broker) => onChange({ ...filters, broker })}
      />
      <ChoiceFilter
        label="Segment"
        value={filters.segment}
        options={SEGMENTS}
        onChange={(segment) => onChange({ ...filters, segment })}
      />
      <ChoiceFilter
        label="Symbol"
        value={filters.symbol}
        options={listed.map((symbol) => ({ value: symbol, label: symbol }))}
        onChange={(symbol) => onChange({ ...filters, symbol })}
      />
      <ChoiceFilter
        label="Side"
        value={filters.side}
        options={SIDES}
        onChange={(side) => onChange({ ...filters, side })}
      />
      <ChoiceFilter
        label="Count"
        value={filters.unit || "positions"}
        options={UNITS}
        required
        onChange={(unit) => onChange({ ...filters, unit: parseUnit(unit) })}
      />
    </>
  );
}

type FilterDialogProps = { filters: Filters; onChange: (filters: Filters) => void; children: ReactNode };

function FilterDialog({ filters, onChange, children }: FilterDialogProps) {
  const [open, setOpen] = useState(false);
  const set = countFilters({ ...filters, from: "", to: "" });
  const close = () => setOpen(false);
  return (
    <>
      <Button
        variant="secondary"
        icon={<ListFilter size={18} aria-hidden />}
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
        className={clsx("px-4", set > 0 && "border-brand bg-brand-soft text-brand")}
      >
        {set > 0 ? `Filter, ${set}` : "Filter"}
      </Button>
      <Dialog
        open={open}
        onClose={close}
        title="Filter the figures"
        actions={
          <>
            <Button variant="quiet" onClick={() => onChange({ ...NO_FILTERS, unit: filters.unit })}>
              Clear filters
            </Button>
            <Button data-autofocus onClick={close}>
              Done
            </Button>
          </>
        }
      >
        <div className="grid gap-3 pt-2 text-ink">{children}</div>
      </Dialog>
    </>
  );
}

/**
 * Keeps the filters in the address. The router updates the address with a delay, so the hook returns the new filters at
 * once and the controls do not jump back.
 */
export function useFilters(): [Filters, (filters: Filters) => void] {
  const [params, setParams] = useSearchParams();
  const key = writeFilters(new URLSearchParams(), parseFilters(params)).toString();
  const fromAddress = useMemo(() => parseFilters(new URLSearchParams(key)), [key]);
  const [pending, setPending] = useState<{ replaces: Filters; filters: Filters }>();
  const setFilters = useCallback(
    (filters: Filters) => {
      setPending({ replaces: fromAddress, filters });
      setParams((now) => writeFilters(now, filters), { replace: true, preventScrollReset: true });
    },
    [fromAddress, setParams],
  );
  return [pending?.replaces === fromAddress ? pending.filters : fromAddress, setFilters];
}
