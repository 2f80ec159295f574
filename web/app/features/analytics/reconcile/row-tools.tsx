import { Search } from "lucide-react";
import { useSearchParams } from "react-router";
import {
  type CauseCode,
  REASON_NOT_FOUND,
  REASONS,
  reasonOptions,
  type WithCause,
} from "#features/analytics/reconcile/reconciliation.ts";
import {
  parseRowsView,
  type RowsView,
  SORTS,
  writeRowsView,
} from "#features/analytics/reconcile/rows-view.ts";
import { ChoiceFilter } from "#ui/choice-filter.tsx";
import { CONTROL } from "#ui/text-input.tsx";

/** Returns the view of the rows, which is stored in the address, and a function that changes it. */
export function useRowsView(): { view: RowsView; change: (next: Partial<RowsView>) => void } {
  const [params, setParams] = useSearchParams();
  return {
    view: parseRowsView(params),
    change: (next) =>
      setParams((now) => writeRowsView(now, { ...parseRowsView(now), ...next }), {
        replace: true,
        preventScrollReset: true,
      }),
  };
}

export type RowToolsProps = {
  view: RowsView;
  rows: readonly WithCause[];
  onChange: (next: Partial<RowsView>) => void;
};

/** Search, filter by reason and sort order of compared rows. */
export function RowTools({ view, rows, onChange }: RowToolsProps) {
  const reasons = reasonOptions(rows);
  return (
    <>
      <div className="relative w-44">
        <Search
          size={17}
          aria-hidden
          className="pointer-events-none absolute top-1/2 left-3 -translate-y-1/2 text-ink-3"
        />
        {/* Uncontrolled, because the value in the address is updated with a delay. */}
        <input
          type="search"
          aria-label="Symbol"
          placeholder="Symbol"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={64}
          defaultValue={view.q}
          onChange={(event) => onChange({ q: event.currentTarget.value })}
          className={`${CONTROL} h-10! pl-9.5 text-ui!`}
        />
      </div>
      {reasons.length > 1 && (
        <ChoiceFilter
          label="Likely reason"
          value={view.cause}
          options={reasons}
          onChange={(cause) => onChange({ cause })}
        />
      )}
      <ChoiceFilter
        label="Sort by"
        value={view.sort}
        options={SORTS}
        required
        onChange={(sort) => onChange({ sort: sort || "size" })}
      />
    </>
  );
}

/** Notice that the search or the filter has no result. */
export function NoRowsMatch() {
  return (
    <p role="status" className="border-line border-t px-4 py-5 text-ink-2 text-ui sm:px-6">
      No rows match. Clear the search or choose another reason.
    </p>
  );
}

/** Likely reason of a difference: its label and the sentence of the server. */
export function Reason({ cause: { code, sentence } }: { cause: { code: CauseCode; sentence: string } }) {
  if (code === "none") return REASON_NOT_FOUND;
  const label = REASONS.find(({ value }) => value === code)?.label;
  return (
    <>
      {label && <strong className="font-semibold text-ink">{label}.</strong>} {sentence}
    </>
  );
}
