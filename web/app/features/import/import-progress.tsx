import type { ImportItem } from "#features/import/import-item.ts";
import { fileSize, wait } from "#lib/format.ts";
import { Progress } from "#ui/progress.tsx";

/** Progress of a file: the upload, the check on the server, and the import. */
export function ImportProgress({ item: { name, file, state } }: { item: ImportItem }) {
  if (state.phase === "sending" && state.share < 1 && file) {
    const { share } = state;
    return (
      <>
        <Progress label={`Sending ${name}`} value={share} />
        <p className="figures mt-1.5 text-data text-ink-2">
          Sending: {fileSize(Math.round(file.size * share))} of {fileSize(file.size)},{" "}
          {Math.floor(share * 100)}
          &nbsp;%
        </p>
      </>
    );
  }
  const step = state.phase === "storing" ? "Importing" : "Checking";
  return (
    <>
      <Progress label={`${step} ${name}`} />
      <p className="mt-1.5 text-data text-ink-2">{step}</p>
    </>
  );
}

/** Text for a waiting file; announced to screen readers if the server is overloaded. */
export function ImportWait({ seconds }: { seconds: number | undefined }) {
  return (
    <p role={seconds ? "status" : undefined} className="text-data text-ink-2">
      {seconds
        ? `The server is busy. This file continues automatically in ${wait(seconds)}.`
        : "Waiting for the files before it"}
    </p>
  );
}
