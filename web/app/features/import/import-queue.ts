import type { ImportFailure } from "#features/import/import-failure.ts";
import { cancelledText } from "#features/import/import-failure.ts";
import {
  type FileState,
  filesToSubmit,
  type ImportItem,
  inPhase,
  isBusy,
} from "#features/import/import-item.ts";
import {
  type Choices,
  hasNoNewIssues,
  type Mismatch,
  NO_CHOICES,
  needsReview,
  type Preview,
  type Report,
} from "#features/import/preview.ts";
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
  | RetryLater
  | Incomplete;

export type StoreResult =
  | { kind: "done"; report: Report }
  | { kind: "changed"; preview: Preview }
  | RetryLater
  | Incomplete;

/** Requests to the server, which tests replace. */
export type ImportApi = {
  check(file: File, book: Book, signal: AbortSignal, onShare: (share: number) => void): Promise<CheckResult>;
  loadPreview(previewId: string, signal: AbortSignal): Promise<CheckResult>;
  store(preview: Preview, choices: Choices, signal: AbortSignal): Promise<StoreResult>;
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
export type StoredReview = Pick<ImportItem, "name" | "book" | "choices"> & { previewId: string };

const NO_PREVIEW = { preview: undefined, previewId: undefined, choices: NO_CHOICES };

/** Imports files one after the other: checks each, and stores it at once unless the trader must review it. */
export class ImportQueue {
  readonly #loadApi: () => Promise<ImportApi>;
  readonly #events: QueueEvents;
  readonly #listeners = new Set<() => void>();
  /** Number of stored imports at the time of each item's preview, by item id. */
  readonly #storedAtPreview = new Map<number, number>();
  #items: readonly ImportItem[] = [];
  #running: { id: number; controller: AbortController } | undefined;
  #lastId = 0;
  /** Number of imports that this queue stored; earlier previews may be outdated because of them. */
  #stored = 0;
  #stopped = false;

  constructor(loadApi: () => Promise<ImportApi>, events: QueueEvents) {
    this.#loadApi = loadApi;
    this.#events = events;
  }

  items = (): readonly ImportItem[] => this.#items;

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Adds files. Removes failed and imported files, and replaces a file that is chosen again. */
  choose = (files: readonly File[], book: Book): void => {
    const isChosenAgain = (item: ImportItem) => files.some((file) => isSameFile(item, file));
    const remaining = this.#items.filter((item) => {
      const { phase } = item.state;
      if (phase === "chosen" || phase === "cancelled") return !isChosenAgain(item);
      return phase !== "failed" && phase !== "done";
    });
    const added = files.map(
      (file): ImportItem => ({
        ...NO_PREVIEW,
        id: this.#nextId(),
        name: file.name,
        file,
        book,
        state: { phase: "chosen" },
      }),
    );
    this.#setItems([...remaining, ...added]);
  };

  /** Restores reviews after a reload. */
  restore = (reviews: readonly StoredReview[]): void => {
    this.#stopped = false;
    const restored = reviews.map(
      (review): ImportItem => ({
        ...review,
        id: this.#nextId(),
        file: undefined,
        preview: undefined,
        state: { phase: "waiting" },
      }),
    );
    this.#setItems([...this.#items, ...restored]);
    if (restored.length > 0) void this.#run();
  };

  remove = (id: number): void => {
    this.#setItems(this.#items.filter((item) => item.id !== id));
  };

  /** Starts the import of the chosen files. */
  submit = (book: Book): void => {
    if (isBusy(this.#items)) return;
    this.#events.onStart();
    this.dropDone();
    for (const { id, file } of filesToSubmit(this.#items)) {
      if (file) this.#enqueue(id, { ...NO_PREVIEW, book });
    }
  };

  /** Imports a file into the book that was detected. */
  confirm = (id: number): void => {
    const item = this.#items.find((one) => one.id === id);
    if (item?.state.phase === "mismatch") {
      this.#enqueue(id, { ...NO_PREVIEW, book: item.state.detected });
    }
  };

  retry = (id: number): void => this.#enqueue(id);

  /** Aborts a running import; a file that waits or has a question becomes a chosen file again. */
  cancel = (id: number): void => {
    if (this.#running?.id === id) this.#running.controller.abort();
    else this.#patch(id, { state: { phase: "chosen" } });
  };

  decide = (id: number, choices: Choices): void => this.#patch(id, { choices });

  /** Imports all reviewed files. */
  store = (): void => {
    for (const { id } of inPhase(this.#items, "review")) this.#enqueue(id);
  };

  /** Ends the review without importing; the files stay chosen. */
  discard = (): void => {
    const remaining = this.#items.filter(({ state, file }) => file || state.phase !== "review");
    this.#setItems(
      remaining.map((item) =>
        item.state.phase === "review" ? { ...item, ...NO_PREVIEW, state: { phase: "chosen" } } : item,
      ),
    );
  };

  dropDone = (): void => {
    this.#setItems(this.#items.filter(({ state }) => state.phase !== "done"));
  };

  /** Aborts everything when the owner of the queue is unmounted; emits no further `onSettled`. */
  stop = (): void => {
    this.#stopped = true;
    this.#setItems(this.#items.filter(({ state }) => state.phase !== "waiting"));
    this.#running?.controller.abort();
  };

  #nextId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  #setItems(items: readonly ImportItem[]): void {
    this.#items = items;
    for (const listener of this.#listeners) listener();
  }

  #patch(id: number, change: Partial<ImportItem>): void {
    this.#setItems(this.#items.map((item) => (item.id === id ? { ...item, ...change } : item)));
  }

  #enqueue(id: number, change: Partial<ImportItem> = {}): void {
    this.#patch(id, { ...change, state: { phase: "waiting" } });
    void this.#run();
  }

  async #run(): Promise<void> {
    if (this.#running) return;
    for (;;) {
      const [item] = inPhase(this.#items, "waiting");
      if (!item) break;
      const controller = new AbortController();
      this.#running = { id: item.id, controller };
      const state = await this.#process(item, controller.signal).catch(unexpectedFailure);
      this.#running = undefined;
      this.#patch(item.id, { state });
      if (state.phase === "done") this.#events.onStored(state.report);
    }
    if (!this.#stopped) this.#events.onSettled(this.#items);
  }

  async #process(item: ImportItem, signal: AbortSignal): Promise<FileState> {
    const api = await this.#loadApi();
    if (item.preview) return this.#store(api, item, item.preview, signal);
    const { previewId } = item;
    const result = await this.#retryWhileOverloaded(api, item.id, signal, () =>
      previewId ? api.loadPreview(previewId, signal) : this.#check(api, item, signal),
    );
    if (result.kind === "mismatch") return { phase: "mismatch", detected: result.detected };
    if (result.kind !== "preview") return this.#incomplete(item.id, result);
    this.#setPreview(item.id, result.preview);
    // A review that was restored after a reload continues even if the file has no issues any more.
    if (item.previewId || needsReview(result.preview)) return { phase: "review", changed: false };
    return this.#store(api, item, result.preview, signal);
  }

  #check(api: ImportApi, { id, file, book }: ImportItem, signal: AbortSignal): Promise<CheckResult> {
    if (!file) throw new Error("a restored item has no file to send");
    const setShare = (share: number) => this.#patch(id, { state: { phase: "sending", share } });
    setShare(0);
    // In whole percent, because the browser reports progress far more often than necessary.
    return api.check(file, book, signal, (share) => setShare(share >= 1 ? 1 : Math.floor(share * 100) / 100));
  }

  async #store(
    api: ImportApi,
    { id, choices }: ImportItem,
    reviewed: Preview,
    signal: AbortSignal,
  ): Promise<FileState> {
    let preview = reviewed;
    for (;;) {
      const result = await this.#retryWhileOverloaded(api, id, signal, () => {
        this.#patch(id, { state: { phase: "storing" } });
        return api.store(preview, choices, signal);
      });
      if (result.kind === "done") {
        this.#stored += 1;
        return { phase: "done", report: result.report };
      }
      if (result.kind !== "changed") return this.#incomplete(id, result);
      // Another file of this batch contained some of the same trades, which needs no new review.
      const changedByBatch =
        this.#stored > (this.#storedAtPreview.get(id) ?? 0) && hasNoNewIssues(preview, result.preview);
      this.#setPreview(id, result.preview);
      if (!changedByBatch) return { phase: "review", changed: true };
      preview = result.preview;
    }
  }

  /** Repeats a request until the server is no longer overloaded. The files behind it wait, too. */
  async #retryWhileOverloaded<T extends { kind: string }>(
    api: ImportApi,
    id: number,
    signal: AbortSignal,
    send: () => Promise<T | RetryLater>,
  ): Promise<T | Incomplete> {
    for (;;) {
      const result = await send();
      if (!isRetryLater(result)) return result;
      const { seconds } = result;
      this.#patch(id, { state: { phase: "waiting", seconds } });
      await api.wait(seconds, signal);
      if (signal.aborted) return { kind: "cancelled", maybeStored: false };
    }
  }

  #setPreview(id: number, preview: Preview): void {
    this.#storedAtPreview.set(id, this.#stored);
    this.#patch(id, { preview, previewId: preview.id });
  }

  #incomplete(id: number, result: Incomplete): FileState {
    if (result.kind === "cancelled") {
      if (result.maybeStored) this.#events.onMaybeStored();
      return { phase: "cancelled", text: cancelledText(result.maybeStored) };
    }
    if (result.failure.maybeStored) this.#events.onMaybeStored();
    if (result.previewExpired) this.#patch(id, { preview: undefined, previewId: undefined });
    return { phase: "failed", failure: result.failure };
  }
}

/**
 * Returns true if a file was chosen before. Compares size and date as well, because reports of two folders may have the
 * same name; after a reload only the name is known.
 */
function isSameFile({ name, file }: ImportItem, other: File): boolean {
  if (name !== other.name) return false;
  return !file || (file.size === other.size && file.lastModified === other.lastModified);
}

function isRetryLater(result: { kind: string }): result is RetryLater {
  return result.kind === "retryLater";
}

function unexpectedFailure(error: unknown): FileState {
  console.error(error);
  return {
    phase: "failed",
    failure: {
      title: "Error uploading file.",
      text: "Nothing was imported.",
      retry: true,
      maybeStored: false,
    },
  };
}
