import type { Importing } from "#features/import/use-import.ts";
import { Banner } from "#ui/banner.tsx";
import { Button } from "#ui/button.tsx";

/** How the last attempt ended, when it did not end with trades. */
export function ImportOutcome({ importing }: { importing: Importing }) {
  const { state, retry, reset } = importing;
  if (state.phase === "cancelled") {
    return (
      <Banner role="status" title="The upload was cancelled." onDismiss={reset} className="mt-6">
        {state.text}
      </Banner>
    );
  }
  if (state.phase !== "failed") return null;
  return (
    <Banner
      tone="loss"
      role="alert"
      title={state.failure.title}
      className="mt-6"
      actions={
        state.failure.retry && (
          <Button size="sm" variant="secondary" onClick={retry}>
            Retry
          </Button>
        )
      }
    >
      {state.failure.text}
    </Banner>
  );
}
