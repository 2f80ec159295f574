import { lazy, Suspense, useId, useState } from "react";
import type { NewAdjustment } from "#features/analytics/entries/adjustment-schema.ts";
import { Button } from "#ui/button.tsx";
import { Dialog } from "#ui/dialog.tsx";

// Forms come when they are wanted.
const AdjustmentForm = lazy(async () => ({
  default: (await import("#features/analytics/entries/adjustment-form.tsx")).AdjustmentForm,
}));

export type AdjustmentDialogProps = { draft: Partial<NewAdjustment>; onClose: () => void };

export function AdjustmentDialog({ draft, onClose }: AdjustmentDialogProps) {
  const form = useId();
  const [busy, setBusy] = useState(false);
  return (
    <Dialog
      open
      onClose={onClose}
      title="What the trades do not say"
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
        <AdjustmentForm id={form} draft={draft} onBusy={setBusy} onSaved={onClose} />
      </Suspense>
    </Dialog>
  );
}
