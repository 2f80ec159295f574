import { useState } from "react";
import { changeTitle, newerChangesText } from "#features/history/change-text.ts";
import { bookName } from "#lib/books.ts";
import { errorMessage } from "#lib/problem.ts";
import { type Change, type UndoResult, undoChange } from "#lib/undo-change.ts";
import { Button } from "#ui/button.tsx";
import { Dialog } from "#ui/dialog.tsx";
import { FormFailure } from "#ui/form-failure.tsx";

export type UndoDialogProps = {
  change: Change;
  onClose: () => void;
  onUndone: (undone: UndoResult) => void;
};

/** Asks for confirmation of an undo, with the number of newer changes that are undone, too. */
export function UndoDialog({ change, onClose, onUndone }: UndoDialogProps) {
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string>();
  const newer = newerChangesText(change.newer);

  async function undo() {
    setBusy(true);
    setFailure(undefined);
    try {
      onUndone(await undoChange(change.id, change.newer));
    } catch (error) {
      setFailure(errorMessage(error));
      setBusy(false);
    }
  }

  return (
    <Dialog
      open
      onClose={onClose}
      title="Undo this change?"
      actions={
        <>
          <Button variant="secondary" data-autofocus onClick={onClose}>
            Cancel
          </Button>
          <Button pending={busy} onClick={() => void undo()}>
            Undo
          </Button>
        </>
      }
    >
      <p className="font-semibold text-ink">{changeTitle(change)}</p>
      <p>{bookName(change)}</p>
      {newer && <p className="font-semibold text-warn">{newer}</p>}
      <FormFailure>{failure}</FormFailure>
    </Dialog>
  );
}
