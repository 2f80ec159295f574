import { useEffect, useRef } from "react";
import { useBlocker } from "react-router";
import { type ImportItem, isBusy } from "#features/import/import-item.ts";
import { underWay } from "#features/import/leave-words.ts";
import { Button } from "#ui/button.tsx";
import { Dialog } from "#ui/dialog.tsx";

export type LeaveDialogProps = {
  items: readonly ImportItem[];
  /** The import goes on there. */
  isInside: (pathname: string) => boolean;
  /** Called on the page that was left for, with the files as they were then. */
  onLeft: (items: readonly ImportItem[]) => void;
};

/** Asks who goes to another page while an import is under way. Before a reload, or another site, the browser asks. */
export function LeaveDialog({ items, isInside, onLeft }: LeaveDialogProps) {
  const busy = isBusy(items);
  const blocker = useBlocker(({ nextLocation }) => busy && !isInside(nextLocation.pathname));
  const leaving = useRef(false);

  useEffect(() => {
    if (blocker.state === "unblocked") leaving.current = false;
    // It came to its end while the question stood.
    if (!busy) blocker.reset?.();
  }, [busy, blocker]);

  const tell = useRef(() => {});
  tell.current = () => {
    if (leaving.current) onLeft(items);
  };
  useEffect(() => () => tell.current(), []);

  return (
    <Dialog
      open={blocker.state === "blocked"}
      onClose={() => blocker.reset?.()}
      title="Leave, and break off the import?"
      actions={
        <>
          <Button variant="secondary" data-autofocus onClick={() => blocker.reset?.()}>
            Stay
          </Button>
          <Button
            onClick={() => {
              // A second press finds it under way.
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
        Not in the log yet: <strong className="font-semibold text-ink">{underWay(items)}</strong>
      </p>
      <p>What is in already stays.</p>
    </Dialog>
  );
}
