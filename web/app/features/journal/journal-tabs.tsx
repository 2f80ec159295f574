import clsx from "clsx";
import type { KeyboardEvent } from "react";
import { KINDS, type Kind } from "#features/journal/kinds.ts";
import { count } from "#lib/format.ts";

export const PANEL = "journal-panel";

export function tabId(kind: Kind): string {
  return `journal-tab-${kind}`;
}

export type JournalTabsProps = {
  current: Kind;
  /** How many each holds; undefined while that is not known. */
  totals: Readonly<Record<Kind, number | undefined>>;
  onChange: (kind: Kind) => void;
};

/** One stop for Tab; the arrows go from one to the other, Home and End to the ends. */
export function JournalTabs({ current, totals, onChange }: JournalTabsProps) {
  function steer(event: KeyboardEvent) {
    const at = KINDS.findIndex(({ kind }) => kind === current);
    const goal = KINDS[goalOf(event.key, at)];
    if (!goal) return;
    event.preventDefault();
    onChange(goal.kind);
    document.getElementById(tabId(goal.kind))?.focus();
  }

  return (
    <div role="tablist" aria-label="Journal" className="mb-5 flex gap-7 border-line border-b">
      {KINDS.map(({ kind, label }) => (
        <button
          key={kind}
          type="button"
          role="tab"
          id={tabId(kind)}
          aria-controls={PANEL}
          aria-selected={kind === current}
          tabIndex={kind === current ? 0 : -1}
          onClick={() => onChange(kind)}
          onKeyDown={steer}
          className="-mb-px flex h-11 items-center gap-2 border-transparent border-b-2 font-medium text-ink-2 text-ui hover:text-ink aria-selected:border-brand aria-selected:font-semibold aria-selected:text-ink"
        >
          {label}
          {/* Its place is kept before it is known. */}
          <span
            className={clsx(
              "min-w-6 rounded-tag bg-sunken px-1.5 text-center font-medium text-floor text-ink-2",
              totals[kind] === undefined && "invisible",
            )}
          >
            {count(totals[kind] ?? 0)}
          </span>
        </button>
      ))}
    </div>
  );
}

function goalOf(key: string, at: number): number {
  const last = KINDS.length - 1;
  if (key === "Home") return 0;
  if (key === "End") return last;
  if (key === "ArrowRight") return at === last ? 0 : at + 1;
  if (key === "ArrowLeft") return at === 0 ? last : at - 1;
  return -1;
}
