import { fileSize } from "#lib/format.ts";
import { Button } from "#ui/button.tsx";
import { Progress } from "#ui/progress.tsx";

export type UploadProgressProps = { file: File | undefined; progress: number; onCancel: () => void };

/** Progress of the upload, then a wait while the server checks and stores the resume. Both can be cancelled. */
export function UploadProgress({ file, progress, onCancel }: UploadProgressProps) {
  const storing = progress >= 1;
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
              {fileSize(Math.round(size * progress))} of {fileSize(size)}, {Math.floor(progress * 100)}&nbsp;%
            </span>
          )}
        </p>
        {storing ? (
          <Progress label="Checking and storing" />
        ) : (
          <Progress label="Sending your application" value={progress} />
        )}
        <p className="mt-1.5 text-data text-ink-2">Stay on this page.</p>
      </div>
      <Button size="sm" variant="secondary" onClick={onCancel} className="min-h-11">
        Cancel
      </Button>
    </div>
  );
}
