import { Button } from "#ui/button.tsx";
import { Dialog } from "#ui/dialog.tsx";

export type DeleteDialogProps = {
  open: boolean;
  symbol: string;
  busy: boolean;
  onClose: () => void;
  onDelete: (pair: boolean) => void;
};

/** Asked of an entry alone, which has a buy and a sell; anything else goes at once, and comes back by Undo. */
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
      <p>This trade and another one of {symbol} are the buy and the sell of one entry.</p>
    </Dialog>
  );
}
