import { lazy, Suspense, useId, useState } from "react";
import { Button } from "#ui/button.tsx";
import { Dialog } from "#ui/dialog.tsx";

// Loaded when the dialog opens.
const CorporateActionForm = lazy(async () => ({
  default: (await import("#features/analytics/corporate-actions/corporate-action-form.tsx"))
    .CorporateActionForm,
}));

/** Form for corporate actions, settlements and opening holdings. */
export function CorporateActionDialog({ onClose }: { onClose: () => void }) {
  const form = useId();
  const [busy, setBusy] = useState(false);
  return (
    <Dialog
      open
      onClose={onClose}
      title="Corporate actions and opening holdings"
      className="sm:max-w-lg!"
      actions={
        <>
          <Button variant="secondary" data-autofocus onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" form={form} pending={busy}>
            Save
          </Button>
        </>
      }
    >
      <Suspense fallback={<div className="h-80" />}>
        <CorporateActionForm id={form} onBusy={setBusy} onSaved={onClose} />
      </Suspense>
    </Dialog>
  );
}
