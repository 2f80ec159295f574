import { useState } from "react";
import { errorMessage } from "#lib/problem.ts";
import { undoChange } from "#lib/undo-change.ts";
import { Banner } from "#ui/banner.tsx";
import { Button } from "#ui/button.tsx";

/** Confirms an edit, with a button that undoes it. */
export function SavedBanner({ changeId, onUndone }: { changeId: string; onUndone: () => Promise<void> }) {
  const [state, setState] = useState<"saved" | "busy" | "undone">("saved");
  const [failure, setFailure] = useState("");

  async function undo() {
    setState("busy");
    setFailure("");
    try {
      await undoChange(changeId, 0);
      await onUndone();
      setState("undone");
    } catch (error) {
      setFailure(errorMessage(error));
      setState("saved");
    }
  }

  return (
    <Banner
      tone={failure ? "loss" : "gain"}
      title={failure || (state === "undone" ? "Undone. The trade is as it was before." : "Saved.")}
      actions={
        state !== "undone" && (
          <Button size="sm" variant="secondary" pending={state === "busy"} onClick={() => void undo()}>
            Undo
          </Button>
        )
      }
    />
  );
}
