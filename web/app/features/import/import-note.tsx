import { ImportProgress } from "#features/import/import-progress.tsx";
import type { Importing } from "#features/import/use-import.ts";
import { Banner } from "#ui/banner.tsx";
import { Button } from "#ui/button.tsx";

/** At the head of the log: an import that goes on, or ended, while one looks at the trades. */
export function ImportNote({ importing, onOpen }: { importing: Importing; onOpen: () => void }) {
  const { state } = importing;
  if (state.phase === "sending") return <ImportProgress importing={importing} />;
  if (state.phase !== "failed" && state.phase !== "mismatch") return null;
  return (
    <Banner
      tone={state.phase === "failed" ? "loss" : "warn"}
      role="alert"
      title={state.phase === "failed" ? state.failure.title : "The import waits for your answer."}
      className="mt-6"
      actions={
        <Button size="sm" variant="secondary" onClick={onOpen}>
          Go to the import
        </Button>
      }
    >
      {state.phase === "failed" && state.failure.text}
    </Banner>
  );
}
