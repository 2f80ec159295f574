import type { Refusal } from "#features/session/refusal.ts";
import { Button } from "#ui/button.tsx";
import { Dialog } from "#ui/dialog.tsx";

export type RefusalDialogProps = { refusal: Refusal | undefined; onClose: () => void; onClosed?: () => void };

export function RefusalDialog({ refusal, onClose, onClosed }: RefusalDialogProps) {
  return (
    <Dialog
      open={refusal !== undefined}
      onClose={onClose}
      {...(onClosed && { onClosed })}
      title={refusal?.title ?? ""}
      actions={
        <Button variant="secondary" onClick={onClose} data-autofocus>
          Cancel
        </Button>
      }
    >
      <p>{refusal?.text}</p>
      {refusal?.detail && <p>{refusal.detail}</p>}
    </Dialog>
  );
}
