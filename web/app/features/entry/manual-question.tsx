import type { Book } from "#content/books.ts";
import { bookName } from "#content/books.ts";
import { useBookSize } from "#features/entry/books-query.ts";
import { plural } from "#lib/format.ts";
import { Button } from "#ui/button.tsx";
import { Dialog } from "#ui/dialog.tsx";

export type ManualQuestionProps = {
  /** The book that would be written anew; undefined while nothing is asked. */
  book: Book | undefined;
  onCancel: () => void;
  onConfirm: (book: Book) => void;
};

/** Choosing manual entry begins the book anew: asked each time, with what it holds. */
export function ManualQuestion({ book, onCancel, onConfirm }: ManualQuestionProps) {
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
      {book && <p role="status">{holds(book, size)}</p>}
    </Dialog>
  );
}

function holds(book: Book, size: number | undefined): string {
  if (size === undefined) return `The book is ${bookName(book)}.`;
  if (size === 0) return "This book is empty.";
  return `${plural(size, "trade")} of ${bookName(book)}. They go with your first entry, and can be had back for 30 days.`;
}
