import { isProblem } from "#lib/api.ts";
import { Button } from "#ui/button.tsx";

export type AccountFailureProps = { error: unknown; onRetry: () => void; busy: boolean };

export function AccountFailure({ error, onRetry, busy }: AccountFailureProps) {
  return (
    <div className="border-rule border-l py-1 pl-5">
      <p role="alert" className="font-semibold text-loss">
        {isProblem(error) && error.detail ? error.detail : "This could not be loaded."}
      </p>
      <Button variant="secondary" size="sm" pending={busy} onClick={onRetry} className="mt-4">
        Retry
      </Button>
    </div>
  );
}
