import { SAMPLE_FILE } from "#content/books.ts";
import { EmptyState } from "#ui/empty-state.tsx";

/** A log may be empty because of what was deleted: the history has it still. */
export function EmptyLog({ onAdd, onHistory }: { onAdd: () => void; onHistory: () => void }) {
  return (
    <>
      <EmptyState name="TradeLog" onAdd={onAdd} sample={SAMPLE_FILE} />
      <p className="text-data text-ink-2">
        Were there trades before?{" "}
        <button type="button" onClick={onHistory} className="link min-h-6">
          See the history
        </button>
      </p>
    </>
  );
}
