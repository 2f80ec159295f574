import { fileSize } from "#lib/format.ts";
import { Button } from "#ui/button.tsx";
import { Progress } from "#ui/progress.tsx";

export type SendingProps = { file: File | undefined; share: number; onCancel: () => void };

/** The bar for the bytes, then the time in which the server looks at the resume and stores it; Cancel in both. */
export function Sending({ file, share, onCancel }: SendingProps) {
  const storing = share >= 1;
  const size = file?.size ?? 0;
  return (
    <div className="mt-6 flex items-center gap-5 rounded-panel border border-line bg-surface px-5 py-4">
      <div className="min-w-0 flex-1">
        <p className="mb-2 flex flex-wrap justify-between gap-x-4 text-ui">
          <span className="min-w-0 break-words font-semibold">
            {storing ? "Checking and storing" : "Sending your application"}
          </span>
          {!storing && (
            <span className="figures text-ink-2">
              {fileSize(Math.round(size * share))} of {fileSize(size)}, {Math.floor(share * 100)}&nbsp;%
            </span>
          )}
        </p>
        {storing ? (
          <Progress label="Checking and storing" />
        ) : (
          <Progress label="Sending your application" value={share} />
        )}
        <p className="mt-1.5 text-data text-ink-2">Stay on this page.</p>
      </div>
      <Button size="sm" variant="secondary" onClick={onCancel} className="min-h-11">
        Cancel
      </Button>
    </div>
  );
}
