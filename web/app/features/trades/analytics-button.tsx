import clsx from "clsx";
import { useState } from "react";
import { Button } from "#ui/button.tsx";

export type AnalyticsButtonProps = {
  /** Leads there; a sentence when it does not. */
  open: () => Promise<string | undefined>;
  className?: string;
};

/** What went wrong stands beside the button that was pressed. */
export function AnalyticsButton({ open, className }: AnalyticsButtonProps) {
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string>();

  async function go() {
    setBusy(true);
    setFailure(undefined);
    setFailure(await open());
    setBusy(false);
  }

  return (
    <div className={clsx("flex flex-wrap items-center gap-x-3", className)}>
      {failure && (
        <p role="alert" className="font-semibold text-data text-loss">
          {failure}
        </p>
      )}
      <Button variant="secondary" pending={busy} onClick={() => void go()} className="max-sm:grow">
        See Analytics
      </Button>
    </div>
  );
}
