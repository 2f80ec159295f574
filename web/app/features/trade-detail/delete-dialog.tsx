import { Button } from "#ui/button.tsx";
import { Dialog } from "#ui/dialog.tsx";

export type DeleteDialogProps = {
  open: boolean;
  symbol: string;
  busy: boolean;
  onClose: () => void;
  onDelete: (pair: boolean) => void;
};

/** Asks whether to delete one leg of a manual entry or both. Other trades are deleted at once and can be restored by Undo. */
export function DeleteDialog({ open, symbol, busy, onClose, onDelete }: DeleteDialogProps) {
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title="Delete one leg or both?"
      className="sm:max-w-lg!"
      actions={
        <>
          <Button variant="secondary" data-autofocus onClick={onClose}>
            Cancel
          </Button>
          <Button variant="danger" pending={busy} onClick={() => onDelete(false)}>
            Delete this leg
          </Button>
          <Button variant="danger" pending={busy} onClick={() => onDelete(true)}>
            Delete both legs
          </Button>
        </>
      }
    >
      <p>The buy and the sell of {symbol} were entered together.</p>
    </Dialog>
  );
}
