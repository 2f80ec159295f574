import type { Importing } from "#features/import/use-import.ts";
import { fileSize } from "#lib/format.ts";
import { Button } from "#ui/button.tsx";
import { Progress } from "#ui/progress.tsx";

/** The bar for the bytes, then the time in which the server reads and stores; Cancel in both. */
export function ImportProgress({ importing }: { importing: Importing }) {
  const { state } = importing;
  if (state.phase !== "sending") return null;
  const { file, share } = state;
  const storing = share >= 1;
  return (
    <div className="mt-6 flex items-center gap-5 rounded-panel border border-line bg-surface px-5 py-4">
      <div className="min-w-0 flex-1">
        <p className="mb-2 flex flex-wrap justify-between gap-x-4 text-ui">
          <span className="min-w-0 break-words font-semibold">
            {storing ? "Reading and storing" : `Sending ${file.name}`}
          </span>
          {!storing && (
            <span className="figures text-ink-2">
              {fileSize(Math.round(file.size * share))} of {fileSize(file.size)}, {Math.floor(share * 100)}
              &nbsp;%
            </span>
          )}
        </p>
        {storing ? (
          <Progress label="Reading and storing" />
        ) : (
          <Progress label={`Sending ${file.name}`} value={share} />
        )}
      </div>
      <Button size="sm" variant="secondary" onClick={importing.cancel}>
        Cancel
      </Button>
    </div>
  );
}
