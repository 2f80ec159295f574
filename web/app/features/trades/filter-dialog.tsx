import clsx from "clsx";
import { ListFilter } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import type { AllFiltersProps } from "#features/trades/filter-bar.tsx";
import { countFilters } from "#features/trades/log-view.ts";
import { SearchField } from "#features/trades/search-field.tsx";
import { Button } from "#ui/button.tsx";
import { Dialog } from "#ui/dialog.tsx";

// Loaded when the dialog opens for the first time.
const FilterFields = lazy(async () => ({
  default: (await import("#features/trades/filter-fields.tsx")).FilterFields,
}));

/** Filters of the log on a phone: the search field, and a dialog for the rest. A choice takes effect at once. */
export function FilterDialog({ view, onChange, onClear, clears }: AllFiltersProps) {
  const [open, setOpen] = useState(false);
  const active = countFilters({ ...view, q: "" });
  const close = () => setOpen(false);
  return (
    <search className="flex gap-2" aria-label="Filter the log" data-print="no">
      <SearchField
        key={clears}
        value={view.q}
        onChange={(q) => onChange({ ...view, q })}
        className="min-w-0 flex-1"
      />
      <Button
        variant="secondary"
        icon={<ListFilter size={18} aria-hidden />}
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
        className={clsx("px-4", active > 0 && "border-brand bg-brand-soft text-brand")}
      >
        {active > 0 ? `Filter, ${active}` : "Filter"}
      </Button>
      <Dialog
        open={open}
        onClose={close}
        title="Filter and sort"
        actions={
          <>
            <Button variant="quiet" onClick={onClear}>
              Clear filters
            </Button>
            <Button data-autofocus onClick={close}>
              Done
            </Button>
          </>
        }
      >
        <Suspense>
          <FilterFields view={view} onChange={onChange} />
        </Suspense>
      </Dialog>
    </search>
  );
}
