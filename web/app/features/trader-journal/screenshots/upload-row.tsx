import { type RefObject, useRef } from "react";
import type { Upload, UploadQueue } from "#features/trader-journal/screenshots/upload-queue.ts";
import { fileSize } from "#lib/format.ts";
import { Button } from "#ui/button.tsx";
import { Progress } from "#ui/progress.tsx";

type UploadRowProps = {
  upload: Upload;
  queue: UploadQueue;
  /** Gets the focus when the row is removed. */
  next: RefObject<HTMLElement | null>;
};

/** Picture that is being uploaded, or was not uploaded, with its state and buttons. */
export function UploadRow({ upload: { id, file, state }, queue, next }: UploadRowProps) {
  const row = useRef<HTMLLIElement>(null);
  const isFailed = state.phase === "failed";
  return (
    <li
      ref={row}
      tabIndex={-1}
      className="flex flex-wrap items-center gap-x-3 gap-y-1 border-line border-b py-2 last:border-b-0"
    >
      <div className="min-w-0 flex-1 basis-48">
        <p className="break-words font-semibold text-data">
          {file.name} <span className="figures font-normal text-ink-2">{fileSize(file.size)}</span>
        </p>
        {isFailed ? (
          <p role="alert" className="text-data text-loss">
            {state.message}
          </p>
        ) : (
          <UploadProgress name={file.name} state={state} />
        )}
      </div>
      <div className="flex gap-2">
        {isFailed && state.canRetry && (
          <Button
            variant="secondary"
            className="px-3!"
            onClick={() => {
              queue.retry(id);
              // The pressed button disappears.
              row.current?.focus();
            }}
          >
            Retry<span className="sr-only"> {file.name}</span>
          </Button>
        )}
        <Button
          variant="quiet"
          className="px-3!"
          onClick={() => {
            queue.remove(id);
            next.current?.focus();
          }}
        >
          {isFailed ? "Remove" : "Cancel"}
          <span className="sr-only"> {file.name}</span>
        </Button>
      </div>
    </li>
  );
}

function UploadProgress({
  name,
  state,
}: {
  name: string;
  state: Exclude<Upload["state"], { phase: "failed" }>;
}) {
  if (state.phase === "waiting") return <p className="text-data text-ink-2">Waiting</p>;
  if (state.phase === "preparing") return <p className="text-data text-ink-2">Preparing</p>;
  const isSent = state.share >= 1;
  return (
    <>
      <p className="figures text-data text-ink-2">
        {isSent ? "Storing" : `Uploading, ${Math.floor(state.share * 100)}%`}
      </p>
      {isSent ? (
        <Progress label={`Storing ${name}`} />
      ) : (
        <Progress label={`Uploading ${name}`} value={state.share} />
      )}
    </>
  );
}
