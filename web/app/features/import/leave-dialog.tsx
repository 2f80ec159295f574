import { useEffect, useRef } from "react";
import { useBlocker } from "react-router";
import { type ImportItem, isBusy } from "#features/import/import-item.ts";
import { unfinishedFiles } from "#features/import/interrupted-import.ts";
import { Button } from "#ui/button.tsx";
import { Dialog } from "#ui/dialog.tsx";

export type LeaveDialogProps = {
  items: readonly ImportItem[];
  /** Returns true for pages on which the import continues. */
  isInside: (pathname: string) => boolean;
  /** Called after the trader has left, with the files at that time. */
  onLeft: (items: readonly ImportItem[]) => void;
};

/** Asks for confirmation before the trader leaves during an import. On a reload or another site, the browser asks. */
export function LeaveDialog({ items, isInside, onLeft }: LeaveDialogProps) {
  const busy = isBusy(items);
  const blocker = useBlocker(({ nextLocation }) => busy && !isInside(nextLocation.pathname));
  const leaving = useRef(false);

  useEffect(() => {
    if (blocker.state === "unblocked") leaving.current = false;
    // The import was completed while the dialog was open.
    if (!busy) blocker.reset?.();
  }, [busy, blocker]);

  const onUnmount = useRef(() => {});
  onUnmount.current = () => {
    if (leaving.current) onLeft(items);
  };
  useEffect(() => () => onUnmount.current(), []);

  return (
    <Dialog
      open={blocker.state === "blocked"}
      onClose={() => blocker.reset?.()}
      title="Leave and stop the import?"
      actions={
        <>
          <Button variant="secondary" data-autofocus onClick={() => blocker.reset?.()}>
            Stay
          </Button>
          <Button
            onClick={() => {
              // Ignores a second click.
              if (leaving.current) return;
              leaving.current = true;
              blocker.proceed?.();
            }}
          >
            Leave
          </Button>
        </>
      }
    >
      <p className="break-words">
        Not imported yet: <strong className="font-semibold text-ink">{unfinishedFiles(items)}</strong>
      </p>
      <p>Files that are already imported stay in the log.</p>
    </Dialog>
  );
}
