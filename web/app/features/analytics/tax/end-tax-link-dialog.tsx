import { useState } from "react";
import type { TaxLink } from "#features/analytics/tax/tax-link-texts.ts";
import { api } from "#lib/api.ts";
import { failureMessage, NO_ANSWER } from "#lib/problem.ts";
import { Button } from "#ui/button.tsx";
import { Dialog } from "#ui/dialog.tsx";
import { FormFailure } from "#ui/form-failure.tsx";

export type EndTaxLinkDialogProps = {
  link: TaxLink;
  onClose: () => void;
  /** Called after the link has ended. */
  onEnd: () => Promise<void>;
};

/** Asks before a link is ended, because it cannot be restored, and ends it. */
export function EndTaxLinkDialog({ link: { id, recipient }, onClose, onEnd }: EndTaxLinkDialogProps) {
  const [pending, setPending] = useState(false);
  const [failure, setFailure] = useState<string>();

  async function end() {
    setPending(true);
    setFailure(undefined);
    try {
      const { error, response } = await api.DELETE("/analytics/tax/links/{id}", { params: { path: { id } } });
      // 404: the link was deleted since.
      if (response.ok || response.status === 404) {
        await onEnd();
        return;
      }
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
      title="End this link?"
      actions={
        <>
          <Button variant="secondary" data-autofocus onClick={onClose}>
            Cancel
          </Button>
          <Button variant="danger" pending={pending} onClick={() => void end()}>
            End link
          </Button>
        </>
      }
    >
      <p className="wrap-anywhere">
        {recipient} can no longer open the tax pack with it. This cannot be undone, but you can create a new
        link.
      </p>
      <FormFailure>{failure}</FormFailure>
    </Dialog>
  );
}
