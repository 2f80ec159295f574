import type { Importing } from "#features/import/use-import.ts";
import { Button } from "#ui/button.tsx";
import { Dialog } from "#ui/dialog.tsx";

/** The file is of another broker or kind than chosen: the server asks, nothing is stored yet. */
export function MismatchDialog({ importing, shown }: { importing: Importing; shown: boolean }) {
  const { state, confirm, reset } = importing;
  const problem = state.phase === "mismatch" ? state.problem : undefined;
  return (
    <Dialog
      open={shown && problem !== undefined}
      onClose={reset}
      title="This is another kind of file"
      actions={
        <>
          <Button variant="secondary" data-autofocus onClick={reset}>
            Cancel
          </Button>
          <Button onClick={confirm}>Import as it is</Button>
        </>
      }
    >
      {problem && (
        <>
          <p className="text-ink">{problem.detail}</p>
          <p>Nothing is stored yet.</p>
        </>
      )}
    </Dialog>
  );
}
