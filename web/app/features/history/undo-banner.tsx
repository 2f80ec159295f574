import { Undo2 } from "lucide-react";
import { type ReactNode, useState } from "react";
import type { Book } from "#content/books.ts";
import { UndoDialog } from "#features/history/undo-dialog.tsx";
import { errorLine } from "#lib/problem.ts";
import { type Change, findChange, type Undone, undoChange, undoneWords } from "#lib/undo-change.ts";
import { useNewHeading } from "#lib/use-new-heading.ts";
import { Banner } from "#ui/banner.tsx";
import { Button } from "#ui/button.tsx";

export type UndoBannerProps = {
  /** What was done: "BUY INFY was deleted." */
  words: string;
  change: Book & { changeId: string };
  /** What the undo did; left out until there was one. Kept by whoever keeps the news: the banner comes and goes. */
  undone: string | undefined;
  onUndone: (words: string) => void;
  onDismiss: () => void;
  children?: ReactNode;
};

/** What was just done, and the way back. It stays until it is dismissed. */
export function UndoBanner({ words, change, undone, onUndone, onDismiss, children }: UndoBannerProps) {
  const [busy, setBusy] = useState(false);
  const [asked, setAsked] = useState<Change>();
  const [failure, setFailure] = useState("");
  // The button that had the focus is gone then.
  useNewHeading(undone ?? "");
  const finish = (done: Undone) => onUndone(`Undone. ${undoneWords(done)}`);

  async function undo() {
    setBusy(true);
    setFailure("");
    try {
      const found = await findChange(change, change.changeId);
      // Whoever wrote on since then is told what goes with it, and asked.
      if (found && found.newer > 0) setAsked(found);
      else finish(await undoChange(change.changeId, 0));
    } catch (error) {
      setFailure(errorLine(error));
    }
    setBusy(false);
  }

  return (
    <>
      <Banner
        tone={undone ? "gain" : failure ? "loss" : "info"}
        title={undone ?? words}
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
      {asked && (
        <UndoDialog
          change={asked}
          onClose={() => setAsked(undefined)}
          onUndone={(done) => {
            setAsked(undefined);
            finish(done);
          }}
        />
      )}
    </>
  );
}
