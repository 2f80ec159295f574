import { isProblem } from "#lib/api.ts";
import { Button } from "#ui/button.tsx";

export type LoadFailureProps = { error: unknown; onRetry: () => void; busy: boolean };

/** The server's own words where it had any. */
export function LoadFailure({ error, onRetry, busy }: LoadFailureProps) {
  return (
    <div className="mt-6 border-rule border-l py-1 pl-5">
      <div role="alert">
        <p className="font-semibold text-loss">
          {isProblem(error) && error.detail ? error.detail : "Failed to load initial data."}
        </p>
        <p className="mt-1 text-ink-2 text-ui">
          Your trades are safe on the server; only this page lacks them.
        </p>
      </div>
      <Button variant="secondary" pending={busy} onClick={onRetry} className="mt-4">
        Retry
      </Button>
    </div>
  );
}
