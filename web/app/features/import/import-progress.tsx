import type { ImportItem } from "#features/import/import-item.ts";
import { fileSize, wait } from "#lib/format.ts";
import { Progress } from "#ui/progress.tsx";

/** The bar for the bytes, then the time in which the server reads, and the one in which it stores. */
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
  const word = state.phase === "storing" ? "Storing" : "Reading";
  return (
    <>
      <Progress label={`${word} ${name}`} />
      <p className="mt-1.5 text-data text-ink-2">{word}</p>
    </>
  );
}

/** For its turn; or, told once, until the server takes more. */
export function ImportWait({ seconds }: { seconds: number | undefined }) {
  return (
    <p role={seconds ? "status" : undefined} className="text-data text-ink-2">
      {seconds
        ? `The server takes no more just now: this one goes on by itself in ${wait(seconds)}.`
        : "Waits for its turn"}
    </p>
  );
}
