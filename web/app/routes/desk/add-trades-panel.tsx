import { lazy, Suspense } from "react";
import { useNavigate } from "react-router";
import { ENTRY_PATH, type EntryIntent, entryState } from "#features/entry/entry-intent.ts";
import { clearManualBook, loadManualBook, saveManualBook } from "#features/entry/manual-book.ts";
import { ManualEntryDialog } from "#features/entry/manual-entry-dialog.tsx";
import { ImportForm, type ImportFormProps } from "#features/import/import-form.tsx";
import type { Book } from "#lib/books.ts";
import { TableSkeleton } from "#ui/skeleton.tsx";

const ManualPanel = lazy(async () => ({ default: (await import("./manual-panel.tsx")).ManualPanel }));

export type AddTradesPanelProps = Pick<ImportFormProps, "fileImports" | "shown"> & { email: string };

/** Panel for adding trades: import of a broker's file, or manual entry. */
export function AddTradesPanel({ email, ...form }: AddTradesPanelProps) {
  const navigate = useNavigate();
  function open(book: Book, force: EntryIntent["force"]) {
    saveManualBook(book);
    navigate(ENTRY_PATH, { state: entryState({ ...book, force }) });
  }
  return (
    <ImportForm
      {...form}
      email={email}
      manual={{
        book: loadManualBook(),
        onBook: saveManualBook,
        onLeave: clearManualBook,
        dialog: (book, onCancel) => (
          <ManualEntryDialog
            book={book}
            onCancel={onCancel}
            onAdd={(chosen) => open(chosen, "append")}
            onConfirm={(chosen) => open(chosen, "replace")}
          />
        ),
        table: (book) => (
          <Suspense fallback={<TableSkeleton label="Loading entries" />}>
            <ManualPanel email={email} book={book} />
          </Suspense>
        ),
      }}
    />
  );
}
