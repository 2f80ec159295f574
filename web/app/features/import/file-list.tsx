import { FileRow } from "#features/import/file-row.tsx";
import { type FileState, type ImportItem, inPhase, isBusy } from "#features/import/import-item.ts";
import { ImportWait } from "#features/import/import-progress.tsx";
import type { FileImports } from "#features/import/use-import.ts";
import { count, plural } from "#lib/format.ts";
import { Button } from "#ui/button.tsx";
import { Progress } from "#ui/progress.tsx";

export type FileListProps = {
  fileImports: FileImports;
  /** True if the panel is visible, so that a question may take the focus. */
  shown: boolean;
  /** Called after a file was removed, because its focused button disappears. */
  onRemoved: () => void;
  /** Opens the question about the columns of a file. */
  onMap: (id: number) => void;
};

/** Files above which only those that need attention are listed. */
const MAX_LISTED = 24;

const NEEDS_NO_ATTENTION: readonly FileState["phase"][] = ["queued", "waiting", "sending", "storing", "done"];

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
  const isLong = items.length > MAX_LISTED;
  const listed = isLong ? items.filter(({ state }) => !NEEDS_NO_ATTENTION.includes(state.phase)) : items;
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
      {isLong && <LongListProgress fileImports={fileImports} />}
      <ul aria-label="Files" className="rounded-panel border border-line bg-surface empty:hidden">
        {listed.map((item) => (
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

/** Progress of an import of many files, with a button that ends it. */
function LongListProgress({ fileImports: { items, cancelAll } }: Pick<FileListProps, "fileImports">) {
  const done = inPhase(items, "done").length;
  const isRunning = isBusy(items);
  const queued = inPhase(items, "queued").length;
  const overloaded = inPhase(items, "waiting").find(
    ({ state }) => state.phase === "waiting" && state.seconds,
  );
  if (!isRunning && queued === 0 && done === 0) {
    return <p className="pb-3 text-ui">{plural(items.length, "file")} chosen.</p>;
  }
  return (
    <div className="flex flex-wrap items-center gap-x-5 gap-y-2 pb-4">
      <div className="min-w-0 flex-1 basis-64">
        <p className="figures pb-2 text-ui">
          <strong className="font-semibold">
            {count(done)} of {plural(items.length, "file")} imported.
          </strong>{" "}
          {!isRunning && queued > 0 && (
            <span className="text-ink-2">{plural(queued, "waits", "wait")} for your answer.</span>
          )}
        </p>
        <Progress label="Importing files" value={progress(items)} />
        {overloaded?.state.phase === "waiting" && <ImportWait seconds={overloaded.state.seconds} />}
      </div>
      {isRunning && (
        <Button size="sm" variant="secondary" onClick={cancelAll}>
          Stop
        </Button>
      )}
    </div>
  );
}

/** Share of the work on these files that is done; the check is half of the work on a file. */
function progress(items: readonly ImportItem[]): number {
  const shares = items.map(({ state, preview }): number => {
    if (state.phase === "done") return 1;
    if (preview) return 0.5;
    return state.phase === "sending" ? state.share / 4 : 0;
  });
  return shares.reduce((sum, share) => sum + share, 0) / items.length;
}
