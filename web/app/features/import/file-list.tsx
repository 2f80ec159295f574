import { FileRow } from "#features/import/file-row.tsx";
import { inPhase, isBusy } from "#features/import/import-item.ts";
import type { FileImports } from "#features/import/use-import.ts";
import { Button } from "#ui/button.tsx";

export type FileListProps = {
  fileImports: FileImports;
  /** True if the panel is visible, so that a question may take the focus. */
  shown: boolean;
  /** Called after a file was removed, because its focused button disappears. */
  onRemoved: () => void;
  /** Opens the question about the columns of a file. */
  onMap: (id: number) => void;
};

/** List of the chosen files with their status. */
export function FileList({ fileImports, shown, onRemoved, onMap }: FileListProps) {
  const { items, confirm, remove } = fileImports;
  const mismatches = inPhase(items, "mismatch");
  // One question at a time takes the focus, and none while an upload is running.
  const focused = shown && !isBusy(items) ? mismatches[0]?.id : undefined;

  function confirmAll() {
    for (const { id } of mismatches) confirm(id);
  }

  if (items.length === 0) return null;
  return (
    <div className="mt-5">
      {mismatches.length > 1 && (
        <p className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 pb-3 text-ui">
          {mismatches.length} files do not match the selected broker or trade type.
          <Button size="sm" variant="secondary" onClick={confirmAll}>
            Import each as detected
          </Button>
        </p>
      )}
      <ul aria-label="Files" className="rounded-panel border border-line bg-surface">
        {items.map((item) => (
          <FileRow
            key={item.id}
            item={item}
            fileImports={fileImports}
            focusQuestion={item.id === focused}
            onMap={onMap}
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
