import { useBookSize } from "#features/entry/book-sizes.ts";
import type { Book } from "#lib/books.ts";
import { bookName } from "#lib/books.ts";
import { plural } from "#lib/format.ts";
import { Button } from "#ui/button.tsx";
import { Dialog } from "#ui/dialog.tsx";

export type ManualEntryDialogProps = {
  /** Book of the manual entry; undefined while the dialog is closed. */
  book: Book | undefined;
  onCancel: () => void;
  onAdd: (book: Book) => void;
  /** Replaces all trades of the book. */
  onConfirm: (book: Book) => void;
};

/** Asks what a manual entry does with the trades of the book: it is added to them, or replaces them. */
export function ManualEntryDialog({ book, onCancel, onAdd, onConfirm }: ManualEntryDialogProps) {
  const size = useBookSize(book);
  return (
    <Dialog
      open={book !== undefined}
      onClose={onCancel}
      title="Enter Manually"
      actions={
        <>
          <Button variant="secondary" onClick={onCancel}>
            Cancel
          </Button>
          <Button variant={size === 0 ? "secondary" : "danger"} onClick={() => book && onConfirm(book)}>
            Confirm
          </Button>
        </>
      }
    >
      {book && <p role="status">{sizeText(book, size)}</p>}
      <Button data-autofocus className="my-2 w-full" onClick={() => book && onAdd(book)}>
        Add to these trades
      </Button>
      <h3 className="border-line border-t pt-4 font-sans font-semibold text-ink text-ui tracking-normal">
        Or replace them
      </h3>
      <p className="text-ink">All previous trades will be replaced. Do you want to continue?</p>
      {size !== undefined && size > 0 && (
        <p>
          {size === 1 ? "It" : "They"} will be removed when you save. You can restore{" "}
          {size === 1 ? "it" : "them"} for 30 days.
        </p>
      )}
    </Dialog>
  );
}

function sizeText(book: Book, size: number | undefined): string {
  const name = bookName(book);
  if (size === undefined) return name;
  return size === 0 ? `${name} has no trades yet.` : `${name} has ${plural(size, "trade")}.`;
}
