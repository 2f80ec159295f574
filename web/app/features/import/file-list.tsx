import { FileRow } from "#features/import/file-row.tsx";
import { inPhase, isBusy } from "#features/import/import-item.ts";
import type { Importing } from "#features/import/use-import.ts";
import { Button } from "#ui/button.tsx";

export type FileListProps = {
  importing: Importing;
  /** The panel is the one that is looked at: a question takes the focus. */
  shown: boolean;
  /** After a file was taken out: its button is gone. */
  onRemoved: () => void;
};

/** Each file with how far it is, and what it asks. */
export function FileList({ importing, shown, onRemoved }: FileListProps) {
  const { items, confirm, remove } = importing;
  const asked = inPhase(items, "mismatch");
  // One question at a time, and none while bars still move.
  const next = shown && !isBusy(items) ? asked[0]?.id : undefined;

  function confirmAll() {
    for (const { id } of asked) confirm(id);
  }

  if (items.length === 0) return null;
  return (
    <div className="mt-5">
      {asked.length > 1 && (
        <p className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 pb-3 text-ui">
          {asked.length} files are of another kind than chosen.
          <Button size="sm" variant="secondary" onClick={confirmAll}>
            Import each as what it is
          </Button>
        </p>
      )}
      <ul aria-label="Files" className="rounded-panel border border-line bg-surface">
        {items.map((item) => (
          <FileRow
            key={item.id}
            item={item}
            importing={importing}
            asksNext={item.id === next}
            onRemove={() => {
              remove(item.id);
              onRemoved();
            }}
          />
        ))}
      </ul>
    </div>
  );
}
