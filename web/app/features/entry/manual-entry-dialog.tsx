import { useBookSize } from "#features/entry/book-sizes.ts";
import type { Book } from "#lib/books.ts";
import { bookName } from "#lib/books.ts";
import { plural } from "#lib/format.ts";
import { Button } from "#ui/button.tsx";
import { Dialog } from "#ui/dialog.tsx";

export type ManualEntryDialogProps = {
  /** Book that would be replaced; undefined while the dialog is closed. */
  book: Book | undefined;
  onCancel: () => void;
  onConfirm: (book: Book) => void;
};

/** Asks for confirmation before manual entry, which replaces all trades of the book. */
export function ManualEntryDialog({ book, onCancel, onConfirm }: ManualEntryDialogProps) {
  const size = useBookSize(book);
  return (
    <Dialog
      open={book !== undefined}
      onClose={onCancel}
      title="Enter Manually"
      actions={
        <>
          <Button variant="secondary" data-autofocus onClick={onCancel}>
            Cancel
          </Button>
          <Button onClick={() => book && onConfirm(book)}>Confirm</Button>
        </>
      }
    >
      <p className="text-ink">All previous trades will be replaced. Do you want to continue?</p>
      {book && <p role="status">{sizeText(book, size)}</p>}
    </Dialog>
  );
}

function sizeText(book: Book, size: number | undefined): string {
  const name = bookName(book);
  if (size === undefined) return name;
  if (size === 0) return `${name} has no trades yet.`;
  const they = size === 1 ? "It" : "They";
  return `${name} has ${plural(size, "trade")}. ${they} will be removed when you save. You can restore ${size === 1 ? "it" : "them"} for 30 days.`;
}
