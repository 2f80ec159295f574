import { SAMPLE_FILE } from "#lib/books.ts";
import { EmptyState } from "#ui/empty-state.tsx";

/** Empty state of the log, with a link to the history in case the trades were deleted. */
export function EmptyLog({ onAdd, onHistory }: { onAdd: () => void; onHistory: () => void }) {
  return (
    <>
      <EmptyState name="TradeLog" onAdd={onAdd} sample={SAMPLE_FILE} />
      <p className="text-data text-ink-2">
        Looking for earlier trades?{" "}
        <button type="button" onClick={onHistory} className="link min-h-6">
          See the history
        </button>
      </p>
    </>
  );
}
