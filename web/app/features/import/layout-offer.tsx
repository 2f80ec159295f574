import { lazy, Suspense, useState } from "react";
import { Button } from "#ui/button.tsx";

const LayoutDialog = lazy(async () => ({
  default: (await import("#features/import/layout-dialog.tsx")).LayoutDialog,
}));

export type LayoutOfferProps = {
  file: File;
  /** Password of the file; empty if it needs none. */
  password: () => string;
};

/** Button that shows the layout of a contract note that was not read, with names and numbers hidden. */
export function LayoutOffer({ file, password }: LayoutOfferProps) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button
        size="sm"
        variant="secondary"
        onClick={() => setOpen(true)}
        className="h-auto! min-h-10 whitespace-normal! py-2 text-left max-sm:w-full"
      >
        Help us read this note
      </Button>
      {open && (
        <Suspense fallback={<p role="status">Opening the text</p>}>
          <LayoutDialog file={file} password={password()} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
