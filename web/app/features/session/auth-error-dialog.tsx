import type { AuthError } from "#features/session/auth-error.ts";
import { Button } from "#ui/button.tsx";
import { Dialog } from "#ui/dialog.tsx";

export type AuthErrorDialogProps = {
  error: AuthError | undefined;
  onClose: () => void;
  onClosed?: () => void;
};

export function AuthErrorDialog({ error, onClose, onClosed }: AuthErrorDialogProps) {
  return (
    <Dialog
      open={error !== undefined}
      onClose={onClose}
      {...(onClosed && { onClosed })}
      title={error?.title ?? ""}
      actions={
        <Button variant="secondary" onClick={onClose} data-autofocus>
          Cancel
        </Button>
      }
    >
      <p>{error?.text}</p>
      {error?.detail && <p>{error.detail}</p>}
    </Dialog>
  );
}
