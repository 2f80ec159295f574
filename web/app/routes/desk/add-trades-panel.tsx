import { lazy, Suspense } from "react";
import { useNavigate } from "react-router";
import { ENTRY_PATH, entryState } from "#features/entry/entry-intent.ts";
import { forgetManualBook, keepManualBook, manualBook } from "#features/entry/manual-book.ts";
import { ManualQuestion } from "#features/entry/manual-question.tsx";
import { ImportForm, type ImportFormProps } from "#features/import/import-form.tsx";
import { TableSkeleton } from "#ui/skeleton.tsx";

const ManualPanel = lazy(async () => ({ default: (await import("./manual-panel.tsx")).ManualPanel }));

export type AddTradesPanelProps = Pick<ImportFormProps, "importing" | "shown"> & { email: string };

/** The ways into the log: a broker's file, or by hand. */
export function AddTradesPanel({ email, ...form }: AddTradesPanelProps) {
  const navigate = useNavigate();
  return (
    <ImportForm
      {...form}
      manual={{
        book: manualBook(),
        onKeep: keepManualBook,
        onLeave: forgetManualBook,
        question: (book, onCancel) => (
          <ManualQuestion
            book={book}
            onCancel={onCancel}
            onConfirm={(chosen) => {
              keepManualBook(chosen);
              navigate(ENTRY_PATH, { state: entryState({ ...chosen, force: "replace" }) });
            }}
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
