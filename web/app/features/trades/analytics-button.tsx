import clsx from "clsx";
import { useState } from "react";
import { Button } from "#ui/button.tsx";

export type AnalyticsButtonProps = {
  /** Opens the analytics; resolves to an error message on failure. */
  open: () => Promise<string | undefined>;
  className?: string;
};

/** Button that opens the analytics, with an error message beside it. */
export function AnalyticsButton({ open, className }: AnalyticsButtonProps) {
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string>();

  async function openAnalytics() {
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
      <Button variant="secondary" pending={busy} onClick={() => void openAnalytics()} className="max-sm:grow">
        See Analytics
      </Button>
    </div>
  );
}
