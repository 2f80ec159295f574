import { date } from "#lib/format.ts";
import { Button } from "#ui/button.tsx";
import { Dialog } from "#ui/dialog.tsx";

export type ClosedDialogProps = {
  /** When the account will be erased. */
  erasedOn: string;
  pending: boolean;
  onRestore: () => void;
  onClose: () => void;
};

/** The right password of a closed account: it can be had back. */
export function ClosedDialog({ erasedOn, pending, onRestore, onClose }: ClosedDialogProps) {
  return (
    <Dialog
      open
      onClose={onClose}
      title="This account is closed"
      actions={
        <>
          <Button variant="secondary" onClick={onClose} data-autofocus>
            Cancel
          </Button>
          <Button pending={pending} onClick={onRestore}>
            Restore account
          </Button>
        </>
      }
    >
      <p>It will be erased on {date(erasedOn)}, with every trade in it.</p>
      <p>Restore it to log in and go on as before.</p>
    </Dialog>
  );
}
