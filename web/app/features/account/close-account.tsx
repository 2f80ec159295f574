import { useState } from "react";
import { CloseDialog } from "#features/account/close-dialog.tsx";
import { Button } from "#ui/button.tsx";

export function CloseAccount({ onClosed }: { onClosed: (erasedOn: string) => void }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <p className="text-ui">
        Your account is out of use at once, on every device. After 30 days it is erased with every trade in
        it. Until then, logging in gives it back to you.
      </p>
      <Button variant="danger" onClick={() => setOpen(true)} className="mt-5">
        Delete account
      </Button>
      {open && <CloseDialog onClosed={onClosed} onCancel={() => setOpen(false)} />}
    </>
  );
}
