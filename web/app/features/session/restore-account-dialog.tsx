import { date } from "#lib/format.ts";
import { Button } from "#ui/button.tsx";
import { Dialog } from "#ui/dialog.tsx";

export type RestoreAccountDialogProps = {
  /** Date of the deletion. */
  deletedOn: string;
  pending: boolean;
  onRestore: () => void;
  onClose: () => void;
};

/** Offers to restore a closed account, after a login with the right password. */
export function RestoreAccountDialog({ deletedOn, pending, onRestore, onClose }: RestoreAccountDialogProps) {
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
      <p>It will be deleted on {date(deletedOn)}, with all its trades.</p>
      <p>Restore it to log in and continue.</p>
    </Dialog>
  );
}
