import { isProblem } from "#lib/api.ts";
import { Button } from "#ui/button.tsx";

export type LoadFailureProps = { error: unknown; onRetry: () => void; busy: boolean };

/** Error with a Retry button in place of data that could not be loaded; shows the message of the server if it has one. */
export function LoadFailure({ error, onRetry, busy }: LoadFailureProps) {
  return (
    <div className="mt-6 border-rule border-l py-1 pl-5">
      <div role="alert">
        <p className="font-semibold text-loss">{failureText(error)}</p>
        <p className="mt-1 text-ink-2 text-ui">Your trades are safe on the server.</p>
      </div>
      <Button variant="secondary" pending={busy} onClick={onRetry} className="mt-4">
        Retry
      </Button>
    </div>
  );
}

function failureText(error: unknown): string {
  if (isProblem(error) && error.detail) return error.detail;
  return navigator.onLine ? "Failed to load initial data." : "You're offline.";
}
