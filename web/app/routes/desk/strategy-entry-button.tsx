import { lazy, Suspense, useEffect, useRef, useState } from "react";
import type { Book } from "#lib/books.ts";
import { Button } from "#ui/button.tsx";

const StrategyEntryDialog = lazy(async () => ({
  default: (await import("#features/strategy-entry/strategy-entry-dialog.tsx")).StrategyEntryDialog,
}));

type StrategyEntryButtonProps = { email: string; book: Book; onAdded: () => void };

/** Button that opens the form for all trades of an option strategy. */
export function StrategyEntryButton({ email, book, onAdded }: StrategyEntryButtonProps) {
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);

  // After the dialog is gone: while it is open, nothing else can have the focus.
  const wasOpen = useRef(false);
  useEffect(() => {
    if (wasOpen.current && !open) button.current?.focus();
    wasOpen.current = open;
  }, [open]);

  return (
    <>
      <Button ref={button} variant="secondary" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        Add a strategy
      </Button>
      {open && (
        <Suspense>
          <StrategyEntryDialog email={email} book={book} onAdded={onAdded} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
