import { useEffect, useRef } from "react";
import { useBlocker } from "react-router";
import { type ImportItem, isBusy } from "#features/import/import-item.ts";
import { unfinishedFiles } from "#features/import/interrupted-import.ts";
import { useUnfinishedWork } from "#lib/unfinished-work.ts";
import { Button } from "#ui/button.tsx";
import { Dialog } from "#ui/dialog.tsx";

export type LeaveDialogProps = {
  items: readonly ImportItem[];
  /** Returns true for pages on which the import continues. */
  isInside: (pathname: string) => boolean;
  /** Called after the trader has left, with the files at that time. */
  onLeft: (items: readonly ImportItem[]) => void;
};

/** Page that ends the session. */
const LOGOUT = /^\/logout\/?$/;

/**
 * Asks for confirmation before the trader leaves during an import, or logs out before other work is finished. On a reload
 * or another site, the browser asks.
 */
export function LeaveDialog({ items, isInside, onLeft }: LeaveDialogProps) {
  const unfinishedWork = useUnfinishedWork();
  const stopsImport = (pathname: string) => isBusy(items) && !isInside(pathname);
  const losesWork = (pathname: string) =>
    stopsImport(pathname) || (unfinishedWork !== "" && LOGOUT.test(pathname));
  const blocker = useBlocker(({ nextLocation }) => losesWork(nextLocation.pathname));
  const leaving = useRef(false);
  const target = blocker.location?.pathname ?? "";
  const isFinished = !losesWork(target);

  useEffect(() => {
    if (blocker.state === "unblocked") leaving.current = false;
    // The import was completed while the dialog was open.
    if (isFinished) blocker.reset?.();
  }, [isFinished, blocker]);

  const onUnmount = useRef(() => {});
  onUnmount.current = () => {
    if (leaving.current) onLeft(items);
  };
  useEffect(() => () => onUnmount.current(), []);

  return (
    <Dialog
      open={blocker.state === "blocked"}
      onClose={() => blocker.reset?.()}
      title={stopsImport(target) ? "Leave and stop the import?" : "Log out before this is finished?"}
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
            {stopsImport(target) ? "Leave" : "Log out"}
          </Button>
        </>
      }
    >
      {stopsImport(target) && (
        <>
          <p className="break-words">
            Not imported yet: <strong className="font-semibold text-ink">{unfinishedFiles(items)}</strong>
          </p>
          <p>Files that are already imported stay in the log.</p>
        </>
      )}
      {LOGOUT.test(target) && unfinishedWork && (
        <p>
          Not saved yet: <strong className="font-semibold text-ink">{unfinishedWork}</strong>
        </p>
      )}
    </Dialog>
  );
}
