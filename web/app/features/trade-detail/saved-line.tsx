import { useState } from "react";
import { errorLine } from "#lib/problem.ts";
import { undoChange } from "#lib/undo-change.ts";
import { Banner } from "#ui/banner.tsx";
import { Button } from "#ui/button.tsx";

/** After a correction: it is stored, and how to have back what was there. */
export function SavedLine({ changeId, onUndone }: { changeId: string; onUndone: () => Promise<void> }) {
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
      setFailure(errorLine(error));
      setState("saved");
    }
  }

  return (
    <Banner
      tone={failure ? "loss" : "gain"}
      title={failure || (state === "undone" ? "Undone: the trade is as it was." : "Saved.")}
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
