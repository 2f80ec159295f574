import { Panel } from "#features/analytics/charts/panel.tsx";
import type { Reconciliation } from "#features/analytics/reconcile/reconciliation.ts";

/** Parts of either side that the comparison leaves out, with the reasons. */
export function NotCompared({ notes }: { notes: Reconciliation["notCompared"] }) {
  if (notes.length === 0) return null;
  return (
    <Panel title="Not compared" text="Not included in the totals above.">
      <ul className="space-y-1.5 border-line border-t px-4 py-4 text-data text-ink-2 sm:px-6">
        {notes.map(({ sentence }) => (
          <li key={sentence} className="border-rule border-l pl-3">
            {sentence}
          </li>
        ))}
      </ul>
    </Panel>
  );
}
