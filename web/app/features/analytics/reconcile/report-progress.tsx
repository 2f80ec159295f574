import { fileSize } from "#lib/format.ts";
import { Button } from "#ui/button.tsx";
import { Progress } from "#ui/progress.tsx";

export type ReportProgressProps = { file: File; share: number; onCancel: () => void };

/** Progress of the upload, then of the comparison on the server. */
export function ReportProgress({ file, share, onCancel }: ReportProgressProps) {
  const sending = share < 1;
  const step = sending ? "Sending" : "Comparing";
  return (
    <div className="mt-6 flex max-w-5xl items-center gap-5 rounded-panel border border-line bg-surface px-5 py-4">
      <div className="min-w-0 flex-1">
        <p className="mb-2 break-words font-semibold text-ui">{file.name}</p>
        <Progress label={`${step} ${file.name}`} {...(sending && { value: share })} />
        <p className="figures mt-1.5 text-data text-ink-2">
          {sending
            ? `Sending: ${fileSize(Math.round(file.size * share))} of ${fileSize(file.size)}`
            : "Comparing with your log"}
        </p>
      </div>
      <Button size="sm" variant="secondary" onClick={onCancel} className="min-h-11">
        Cancel
      </Button>
    </div>
  );
}
