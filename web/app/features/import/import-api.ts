import type { ImportFailure } from "#features/import/import-failure.ts";
import type { ImportItem } from "#features/import/import-item.ts";
import type { Choices, Mismatch, Preview, Report } from "#features/import/preview.ts";
import type { Book } from "#lib/books.ts";

/** Outcome of a request that was not completed. */
export type Incomplete =
  /** `previewExpired`: the server no longer has the preview. */
  | { kind: "failed"; failure: ImportFailure; previewExpired?: boolean }
  /** `maybeStored`: the trades may have changed. */
  | { kind: "cancelled"; maybeStored: boolean };

/** The server is overloaded and did nothing; it accepts the request after so many seconds. */
export type RetryLater = { kind: "retryLater"; seconds: number };

export type CheckResult =
  | { kind: "preview"; preview: Preview }
  | { kind: "mismatch"; detected: Mismatch["detected"] }
  /** A ledger, which has no trades and is imported apart. */
  | { kind: "ledger" }
  | RetryLater
  | Incomplete;

export type StoreResult =
  | { kind: "done"; report: Report }
  | { kind: "changed"; preview: Preview }
  | RetryLater
  | Incomplete;

/** Requests to the server, which tests replace. */
export type ImportApi = {
  /** `confirmed`: a file of another book is checked for its own book. `password`: empty if none is known. */
  check(
    file: File,
    book: Book,
    confirmed: boolean,
    password: string,
    signal: AbortSignal,
    onShare: (share: number) => void,
  ): Promise<CheckResult>;
  /** `batch`: ids of the other previews that will be imported, too. */
  loadPreview(previewId: string, batch: readonly string[], signal: AbortSignal): Promise<CheckResult>;
  /** `account`: number of the account that the trader selected; another one than that of the preview changes it. */
  store(preview: Preview, choices: Choices, signal: AbortSignal, account?: number): Promise<StoreResult>;
  /** Resolves after so many seconds, or when it is aborted. */
  wait(seconds: number, signal: AbortSignal): Promise<void>;
};

export type QueueEvents = {
  /** A new batch starts; reports of the previous one are outdated. */
  onStart: () => void;
  onStored: (report: Report) => void;
  /** A request was not completed, and the trades may have changed. */
  onMaybeStored: () => void;
  /** The queue is empty. */
  onSettled: (items: readonly ImportItem[]) => void;
};

/** Item that is restored after a reload. */
export type StoredReview = Pick<ImportItem, "name" | "book" | "choices" | "detected"> & { previewId: string };
