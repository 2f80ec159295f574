import { Undo2 } from "lucide-react";
import { type ReactNode, useState } from "react";
import { UndoDialog } from "#features/history/undo-dialog.tsx";
import type { Book } from "#lib/books.ts";
import { useHeadingFocus } from "#lib/heading-focus.ts";
import { errorMessage } from "#lib/problem.ts";
import { type Change, findChange, type UndoResult, undoChange, undoneText } from "#lib/undo-change.ts";
import { Banner } from "#ui/banner.tsx";
import { Button } from "#ui/button.tsx";

export type UndoBannerProps = {
  /** Description of the change: "BUY INFY was deleted." */
  message: string;
  change: Book & { changeId: string };
  /** Result of the undo; undefined before it. The parent keeps it, because the banner may be unmounted. */
  undone: string | undefined;
  onUndone: (message: string) => void;
  onDismiss: () => void;
  children?: ReactNode;
};

/** Message about the latest change with an Undo button; stays until it is dismissed. */
export function UndoBanner({ message, change, undone, onUndone, onDismiss, children }: UndoBannerProps) {
  const [busy, setBusy] = useState(false);
  const [pendingUndo, setPendingUndo] = useState<Change>();
  const [failure, setFailure] = useState("");
  // The focused Undo button disappears after the undo.
  useHeadingFocus(undone ?? "");
  const finish = (done: UndoResult) => onUndone(`Undone. ${undoneText(done)}`);

  async function undo() {
    setBusy(true);
    setFailure("");
    try {
      const current = await findChange(change, change.changeId);
      // Newer changes would be undone, too, so the trader has to confirm.
      if (current && current.newer > 0) setPendingUndo(current);
      else finish(await undoChange(change.changeId, 0));
    } catch (error) {
      setFailure(errorMessage(error));
    }
    setBusy(false);
  }

  return (
    <>
      <Banner
        tone={undone ? "gain" : failure ? "loss" : "info"}
        title={undone ?? message}
        onDismiss={onDismiss}
        className="mt-6"
        actions={
          !undone && (
            <Button
              size="sm"
              variant="secondary"
              pending={busy}
              icon={<Undo2 size={17} aria-hidden />}
              onClick={() => void undo()}
            >
              Undo
            </Button>
          )
        }
      >
        {!undone && (failure || children)}
      </Banner>
      {pendingUndo && (
        <UndoDialog
          change={pendingUndo}
          onClose={() => setPendingUndo(undefined)}
          onUndone={(done) => {
            setPendingUndo(undefined);
            finish(done);
          }}
        />
      )}
    </>
  );
}
