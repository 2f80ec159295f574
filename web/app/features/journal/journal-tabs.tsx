import clsx from "clsx";
import type { KeyboardEvent } from "react";
import { ENTRY_TYPES, type EntryType } from "#features/journal/entry-types.ts";
import { count } from "#lib/format.ts";

export const PANEL_ID = "journal-panel";

export function tabId(type: EntryType): string {
  return `journal-tab-${type}`;
}

export type JournalTabsProps = {
  current: EntryType;
  /** Number of trades per tab; undefined while loading. */
  totals: Readonly<Record<EntryType, number | undefined>>;
  onChange: (type: EntryType) => void;
};

/** Tab list with one tab stop; the arrow keys, Home and End move between the tabs. */
export function JournalTabs({ current, totals, onChange }: JournalTabsProps) {
  function handleKey(event: KeyboardEvent) {
    const index = ENTRY_TYPES.findIndex(({ type }) => type === current);
    const target = ENTRY_TYPES[targetIndex(event.key, index)];
    if (!target) return;
    event.preventDefault();
    onChange(target.type);
    document.getElementById(tabId(target.type))?.focus();
  }

  return (
    <div role="tablist" aria-label="Journal" className="mb-5 flex gap-7 border-line border-b">
      {ENTRY_TYPES.map(({ type, label }) => (
        <button
          key={type}
          type="button"
          role="tab"
          id={tabId(type)}
          aria-controls={PANEL_ID}
          aria-selected={type === current}
          tabIndex={type === current ? 0 : -1}
          onClick={() => onChange(type)}
          onKeyDown={handleKey}
          className="-mb-px flex h-11 items-center gap-2 border-transparent border-b-2 font-medium text-ink-2 text-ui hover:text-ink aria-selected:border-brand aria-selected:font-semibold aria-selected:text-ink"
        >
          {label}
          {/* Takes its space before it is known, so that nothing shifts. */}
          <span
            className={clsx(
              "min-w-6 rounded-tag bg-sunken px-1.5 text-center font-medium text-floor text-ink-2",
              totals[type] === undefined && "invisible",
            )}
          >
            {count(totals[type] ?? 0)}
          </span>
        </button>
      ))}
    </div>
  );
}

/** Returns the index of the tab that the key moves to, or −1 for other keys. */
function targetIndex(key: string, index: number): number {
  const last = ENTRY_TYPES.length - 1;
  if (key === "Home") return 0;
  if (key === "End") return last;
  if (key === "ArrowRight") return index === last ? 0 : index + 1;
  if (key === "ArrowLeft") return index === 0 ? last : index - 1;
  return -1;
}
