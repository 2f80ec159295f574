import { type ReactNode, useState } from "react";
import { failureMessage, NO_ANSWER } from "#lib/problem.ts";
import { Button } from "#ui/button.tsx";
import { Dialog } from "#ui/dialog.tsx";
import { FormFailure } from "#ui/form-failure.tsx";

export type ConfirmDeleteDialogProps = {
  /** Question, such as "End this link?". */
  title: string;
  /** Label of the button that deletes. */
  action: string;
  send: () => Promise<{ error?: unknown; response: Response }>;
  /** Called when it is deleted, also if somebody deleted it before. */
  onDelete: () => Promise<void>;
  onClose: () => void;
  /** Consequences of the deletion. */
  children: ReactNode;
};

/** Asks before something is deleted, deletes it, and shows a failure. */
export function ConfirmDeleteDialog(props: ConfirmDeleteDialogProps) {
  const { title, action, send, onDelete, onClose, children } = props;
  const [pending, setPending] = useState(false);
  const [failure, setFailure] = useState<string>();

  async function remove() {
    setPending(true);
    setFailure(undefined);
    try {
      const { error, response } = await send();
      // 404: it was deleted since.
      if (response.ok || response.status === 404) return await onDelete();
      setFailure(failureMessage(response, error));
    } catch (error) {
      console.error(error);
      setFailure(NO_ANSWER);
    }
    setPending(false);
  }

  return (
    <Dialog
      open
      onClose={onClose}
      title={title}
      actions={
        <>
          <Button variant="secondary" data-autofocus onClick={onClose}>
            Cancel
          </Button>
          <Button variant="danger" pending={pending} onClick={() => void remove()}>
            {action}
          </Button>
        </>
      }
    >
      <p className="wrap-anywhere">{children}</p>
      <FormFailure>{failure}</FormFailure>
    </Dialog>
  );
}
