import type {
  CheckResult,
  ImportApi,
  Incomplete,
  QueueEvents,
  RetryLater,
  StoredReview,
} from "#features/import/import-api.ts";
import { cancelledText } from "#features/import/import-failure.ts";
import {
  type FileState,
  filesToSubmit,
  type ImportItem,
  inPhase,
  isBusy,
} from "#features/import/import-item.ts";
import {
  acceptLayout,
  type Choices,
  hasNoNewIssues,
  NO_CHOICES,
  needsReview,
  type Preview,
} from "#features/import/preview.ts";
import { type Book, type BookSelection, bookOf, isSelected, tradeTypeName } from "#lib/books.ts";

/** Files that are checked before the next ones. Each may have two previews, and the server keeps 24 of an account. */
export const BATCH_FILES = 12;

/** Files that are checked at once, so that the browser, the connection and the server do not wait for each other. */
const CHECKS_AT_ONCE = 3;

/** Shortest time between two notices of changes: the page is drawn again after each. */
const MIN_NOTICE_MS = 100;

const NO_PREVIEW = {
  preview: undefined,
  previewId: undefined,
  choices: NO_CHOICES,
  detected: undefined,
  account: undefined,
  approved: false,
};

/**
 * Imports files in batches. Checks all files of a batch first, some at once, and then stores those that the trader need
 * not review, one after the other and the oldest trades first: a sale is checked against the purchases before it. Files
 * to review are checked again together. The next batch starts when the trader has answered all questions about this one.
 */
export class ImportQueue {
  readonly #loadApi: () => Promise<ImportApi>;
  readonly #events: QueueEvents;
  readonly #listeners = new Set<() => void>();
  /** Number of stored imports at the time of each item's preview, by item id. */
  readonly #storedAtPreview = new Map<number, number>();
  /** Other previews with which each item's preview was checked, by item id; see `#batchKey`. */
  readonly #checkedBatch = new Map<number, string>();
  /** Formats whose layout is new, and was accepted by the trader in a review. */
  readonly #acceptedFormats = new Set<string>();
  #items: readonly ImportItem[] = [];
  /** Items that are processed now, by id: several first checks, or one of anything else. */
  readonly #running = new Map<number, { controller: AbortController; isFirstCheck: boolean }>();
  #lastId = 0;
  /** Time of the last notice to the listeners, and the timer of the next one. */
  #notified = 0;
  #notice: ReturnType<typeof setTimeout> | undefined;
  /** Password of protected files, which is asked once and never stored. */
  #password = "";
  /** Passwords with which files were opened, by item id. */
  readonly #passwords = new Map<number, string>();
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
  choose = (files: readonly File[], selection: BookSelection): void => {
    const isChosenAgain = (item: ImportItem) => files.some((file) => isSameFile(item, file));
    const remaining = this.#items.filter((item) => {
      const { phase } = item.state;
      if (item.state.phase === "ledger") return item.state.added === undefined;
      if (phase === "chosen" || phase === "cancelled") return !isChosenAgain(item);
      return phase !== "failed" && phase !== "done";
    });
    const added = files.map(
      (file): ImportItem => ({
        ...NO_PREVIEW,
        id: this.#nextId(),
        name: file.name,
        file,
        book: bookOf(selection),
        selection,
        isOtherPart: false,
        state: { phase: "chosen" },
      }),
    );
    this.#showItems([...remaining, ...added]);
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
        account: undefined,
        approved: false,
        selection: {},
        isOtherPart: false,
        state: { phase: "waiting" },
      }),
    );
    this.#setItems([...this.#items, ...restored]);
    if (restored.length > 0) this.#run();
  };

  remove = (id: number): void => {
    this.#showItems(this.#items.filter((item) => item.id !== id));
    this.#continue();
  };

  /** Starts the import of the chosen files, each into its own book as far as the selection leaves that to the files. */
  submit = (selection: BookSelection): void => {
    if (isBusy(this.#items)) return;
    this.#events.onStart();
    this.dropDone();
    const submitted = new Set(filesToSubmit(this.#items));
    const change = { ...NO_PREVIEW, book: bookOf(selection), selection, state: { phase: "queued" } } as const;
    this.#setItems(
      this.#items.map((item) => (submitted.has(item) && item.file ? { ...item, ...change } : item)),
    );
    if (this.#startBatch()) this.#run();
  };

  /** Imports a file into the book that was detected. */
  confirm = (id: number): void => {
    const item = this.#items.find((one) => one.id === id);
    if (item?.state.phase === "mismatch") {
      const preview = item.preview ? { detected: undefined } : NO_PREVIEW;
      this.#enqueue(id, { ...preview, book: item.state.detected });
    }
  };

  retry = (id: number): void => this.#enqueue(id);

  /** Returns the password that opened the file of an item; empty if it needed none. */
  passwordOf = (id: number): string => this.#passwords.get(id) ?? "";

  /** Checks all files that need a password again with this one. */
  unlock = (password: string): void => {
    this.#password = password;
    const locked = inPhase(this.#items, "failed").filter(
      ({ state }) => state.phase === "failed" && state.failure.needsPassword,
    );
    for (const { id } of locked) this.#enqueue(id);
  };

  /** Aborts a running import; a file that waits or has a question becomes a chosen file again. */
  cancel = (id: number): void => {
    const running = this.#running.get(id);
    if (running) running.controller.abort();
    // A file that was restored after a reload cannot be chosen again.
    else if (!this.#items.find((item) => item.id === id)?.file) this.remove(id);
    else this.#patch(id, { ...NO_PREVIEW, state: { phase: "chosen" } });
    this.#continue();
  };

  /** Aborts what is running; the files behind it become chosen files again. */
  cancelAll = (): void => {
    this.#setItems(
      this.#items.map((item) =>
        item.file && ["waiting", "queued"].includes(item.state.phase) && !this.#running.has(item.id)
          ? { ...item, ...NO_PREVIEW, state: { phase: "chosen" } }
          : item,
      ),
    );
    this.#abort();
  };

  /** Shows the choice at once, as the control of a form has to. */
  decide = (id: number, choices: Choices): void => {
    this.#patch(id, { choices });
    this.#notify();
  };

  /** Compares a reviewed file with another account of its broker; nothing is imported. */
  chooseAccount = (id: number, account: number): void => this.#enqueue(id, { account });

  /** Marks a ledger as imported, with the number of added entries. */
  finishLedger = (id: number, added: number): void => this.#patch(id, { state: { phase: "ledger", added } });

  /** Imports all reviewed files. */
  store = (): void => {
    for (const { id, preview } of inPhase(this.#items, "review")) {
      if (preview) this.#acceptedFormats.add(preview.format);
      this.#enqueue(id, { approved: true });
    }
  };

  /** Ends the review without importing; the files stay chosen. */
  discard = (): void => {
    const remaining = this.#items.filter(({ state, file }) => file || state.phase !== "review");
    this.#showItems(
      remaining.map((item) =>
        ["review", "queued"].includes(item.state.phase)
          ? { ...item, ...NO_PREVIEW, state: { phase: "chosen" } }
          : item,
      ),
    );
  };

  dropDone = (): void => {
    this.#setItems(this.#items.filter(({ state }) => state.phase !== "done"));
  };

  /** Aborts everything when the owner of the queue is unmounted; emits no further `onSettled`. */
  stop = (): void => {
    this.#stopped = true;
    this.#setItems(this.#items.filter(({ state }) => state.phase !== "waiting" && state.phase !== "queued"));
    this.#abort();
  };

  #abort(): void {
    for (const { controller } of this.#running.values()) controller.abort();
  }

  #nextId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  /** Shows a change by the trader at once: the next press of a button may depend on it. */
  #showItems(items: readonly ImportItem[]): void {
    this.#items = items;
    this.#notify();
  }

  #setItems(items: readonly ImportItem[]): void {
    this.#items = items;
    const wait = this.#notified + MIN_NOTICE_MS - Date.now();
    if (wait <= 0) this.#notify();
    else this.#notice ??= setTimeout(this.#notify, wait);
  }

  readonly #notify = (): void => {
    clearTimeout(this.#notice);
    this.#notice = undefined;
    this.#notified = Date.now();
    for (const listener of this.#listeners) listener();
  };

  #patch(id: number, change: Partial<ImportItem>): void {
    this.#setItems(this.#items.map((item) => (item.id === id ? { ...item, ...change } : item)));
  }

  #enqueue(id: number, change: Partial<ImportItem> = {}): void {
    this.#patch(id, { ...change, state: { phase: "waiting" } });
    this.#run();
  }

  /** Starts what can run now. */
  #run(): void {
    for (;;) {
      const item = this.#next();
      if (item) void this.#start(item);
      else if (this.#running.size > 0) return;
      else if (!this.#startBatch()) break;
    }
    if (!this.#stopped) this.#events.onSettled(this.#items);
  }

  async #start(item: ImportItem): Promise<void> {
    const controller = new AbortController();
    this.#running.set(item.id, { controller, isFirstCheck: !item.preview });
    const process = item.state.phase === "review" ? this.#checkInBatch : this.#process;
    const state = await process.call(this, item, controller.signal).catch(unexpectedFailure);
    this.#running.delete(item.id);
    this.#patch(item.id, { state });
    if (state.phase === "done") this.#events.onStored(state.report);
    this.#run();
  }

  /** Continues with the next batch, if the trader has removed the last question about this one. */
  #continue(): void {
    if (this.#running.size === 0 && !isBusy(this.#items) && this.#startBatch()) this.#run();
  }

  /** Lets the next files wait for their check. Returns false if there are none, or the trader has to answer first. */
  #startBatch(): boolean {
    const isLocked = this.#items.some(({ state }) => state.phase === "failed" && state.failure.needsPassword);
    if (this.#stopped || isLocked || inPhase(this.#items, "review", "mismatch").length > 0) return false;
    const batch = new Set(inPhase(this.#items, "queued").slice(0, BATCH_FILES));
    this.#setItems(
      this.#items.map((item) => (batch.has(item) ? { ...item, state: { phase: "waiting" } } : item)),
    );
    return batch.size > 0;
  }

  #needsReview(preview: Preview, item: ImportItem): boolean {
    return needsReview(this.#acceptedFormats.has(preview.format) ? acceptLayout(preview) : preview, item);
  }

  /** Returns the next item that may start now: to check, to store, or to check again with the other files in review. */
  #next(): ImportItem | undefined {
    if (this.#stopped) return undefined;
    const running = [...this.#running.values()];
    const waiting = inPhase(this.#items, "waiting").filter(({ id }) => !this.#running.has(id));
    const unchecked = waiting.find(({ preview }) => !preview);
    if (unchecked || running.length > 0) {
      const isFree = running.length < CHECKS_AT_ONCE && running.every(({ isFirstCheck }) => isFirstCheck);
      return isFree ? unchecked : undefined;
    }
    return (
      waiting.toSorted(byFirstTrade)[0] ??
      inPhase(this.#items, "review").find(
        (item) => this.#batchKey(this.#batch(item)) !== this.#checkedBatch.get(item.id),
      )
    );
  }

  async #process(item: ImportItem, signal: AbortSignal): Promise<FileState> {
    const api = await this.#loadApi();
    const { preview, approved } = item;
    if (preview && item.account) return this.#chooseAccount(api, item, preview, item.account, signal);
    if (preview) {
      if (!approved && this.#needsReview(preview, item)) return { phase: "review", changed: false };
      return this.#store(api, item, preview, signal);
    }
    const { previewId } = item;
    const batch = previewId ? this.#batch(item) : [];
    const result = await this.#retryWhileOverloaded(api, item.id, signal, () =>
      previewId ? api.loadPreview(previewId, batch, signal) : this.#check(api, item, item.book, signal),
    );
    if (result.kind === "mismatch") return this.#checkAsDetected(api, item, result.detected, signal);
    if (result.kind === "ledger") return { phase: "ledger" };
    if (result.kind !== "preview") return this.#incomplete(item.id, result);
    this.#setPreview(item.id, result.preview, batch);
    if (item.detected) return { phase: "mismatch", detected: item.detected };
    this.#addOtherPart(item, result.preview);
    // A review that was restored after a reload continues even if the file has no issues any more.
    if (previewId || this.#needsReview(result.preview, item)) return { phase: "review", changed: false };
    this.#patch(item.id, { approved: true });
    return { phase: "waiting" };
  }

  /** Adds the trades of the other trade type in a file with both, unless the trader selected one. */
  #addOtherPart(item: ImportItem, { otherSegmentRows, broker, tradetype }: Preview): void {
    const { file, selection, isOtherPart } = item;
    if (!file || otherSegmentRows === 0 || selection.tradetype || isOtherPart) return;
    const other: Book = { broker, tradetype: tradetype === "equity" ? "fno" : "equity" };
    const part: ImportItem = {
      ...NO_PREVIEW,
      id: this.#nextId(),
      name: `${file.name} (${tradeTypeName(other.tradetype)})`,
      file,
      book: other,
      selection: {},
      isOtherPart: true,
      state: { phase: "waiting" },
    };
    this.#setItems(this.#items.flatMap((one) => (one.id === item.id ? [one, part] : [one])));
  }

  /** Checks a file for the detected book before the trader confirms it, so that the question survives a reload. */
  async #checkAsDetected(
    api: ImportApi,
    item: ImportItem,
    detected: Book,
    signal: AbortSignal,
  ): Promise<FileState> {
    const result = await this.#retryWhileOverloaded(api, item.id, signal, () =>
      this.#check(api, item, detected, signal),
    );
    if (result.kind === "preview") {
      this.#setPreview(item.id, result.preview);
      if (isSelected(detected, item.selection)) return this.#continueAs(item, detected, result.preview);
      this.#patch(item.id, { detected });
    } else if (result.kind === "ledger") return { phase: "ledger" };
    else if (result.kind !== "mismatch") return this.#incomplete(item.id, result);
    return { phase: "mismatch", detected };
  }

  /** Continues with a book that the trader left to the file. */
  #continueAs(item: ImportItem, book: Book, preview: Preview): FileState {
    this.#patch(item.id, { book });
    this.#addOtherPart(item, preview);
    if (this.#needsReview(preview, item)) return { phase: "review", changed: false };
    this.#patch(item.id, { approved: true });
    return { phase: "waiting" };
  }

  /** Compares a reviewed file with the current book and the other files in review. Keeps the old preview on failure. */
  async #checkInBatch(item: ImportItem, signal: AbortSignal): Promise<FileState> {
    const batch = this.#batch(item);
    this.#checkedBatch.set(item.id, this.#batchKey(batch));
    const { previewId, state } = item;
    if (!previewId) return state;
    const api = await this.#loadApi();
    this.#patch(item.id, { state: { phase: "sending", share: 1 } });
    const result = await this.#retryWhileOverloaded(api, item.id, signal, () =>
      api.loadPreview(previewId, batch, signal),
    );
    if (result.kind === "preview") this.#setPreview(item.id, result.preview, batch);
    return state;
  }

  /** Returns the ids of the other previews in review. */
  #batch({ id }: ImportItem): string[] {
    return this.#items.flatMap(({ id: other, state, previewId, approved, detected }) => {
      const inReview = ["waiting", "sending", "review"].includes(state.phase) && !approved && !detected;
      return other !== id && inReview && previewId ? [previewId] : [];
    });
  }

  /** Identifies what a preview was compared with: the imports of this queue and other previews. */
  #batchKey(batch: readonly string[]): string {
    return [this.#stored, ...batch.toSorted()].join(" ");
  }

  /** Returns the password to try with a file; empty for files that cannot need it. */
  #passwordFor(file: File): string {
    return /\.pdf$/i.test(file.name) ? this.#password : "";
  }

  async #check(
    api: ImportApi,
    { id, file, selection }: ImportItem,
    book: Book,
    signal: AbortSignal,
  ): Promise<CheckResult> {
    if (!file) throw new Error("a restored item has no file to send");
    const setShare = (share: number) => this.#patch(id, { state: { phase: "sending", share } });
    const confirmed = !selection.broker && !selection.tradetype;
    for (;;) {
      setShare(0);
      const password = this.#passwordFor(file);
      // In whole percent, because the browser reports progress far more often than necessary.
      const result = await api.check(file, book, confirmed, password, signal, (share) =>
        setShare(share >= 1 ? 1 : Math.floor(share * 100) / 100),
      );
      const isLocked = result.kind === "failed" && result.failure.needsPassword;
      if (!isLocked) this.#passwords.set(id, password);
      // The password may be typed while a file is sent without it.
      if (!isLocked || password === this.#passwordFor(file)) return result;
    }
  }

  async #chooseAccount(
    api: ImportApi,
    { id, choices }: ImportItem,
    preview: Preview,
    account: number,
    signal: AbortSignal,
  ): Promise<FileState> {
    const result = await this.#retryWhileOverloaded(api, id, signal, () => {
      this.#patch(id, { state: { phase: "sending", share: 1 } });
      return api.store(preview, choices, signal, account);
    });
    this.#patch(id, { account: undefined });
    if (result.kind === "done") return { phase: "done", report: result.report };
    if (result.kind !== "changed") return this.#incomplete(id, result);
    this.#setPreview(id, result.preview);
    return { phase: "review", changed: false };
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
        const { signature } = preview;
        return { phase: "done", report: signature ? { ...result.report, signature } : result.report };
      }
      if (result.kind !== "changed") return this.#incomplete(id, result);
      // Another file of this batch contained some of the same trades, which needs no new review.
      const changedByBatch =
        this.#stored > (this.#storedAtPreview.get(id) ?? 0) && hasNoNewIssues(preview, result.preview);
      this.#setPreview(id, result.preview);
      if (!changedByBatch) {
        this.#patch(id, { approved: false });
        return { phase: "review", changed: true };
      }
      preview = result.preview;
    }
  }

  /** Repeats a request until the server is no longer overloaded. */
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

  #setPreview(id: number, preview: Preview, batch: readonly string[] = []): void {
    this.#storedAtPreview.set(id, this.#stored);
    this.#checkedBatch.set(id, this.#batchKey(batch));
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

/** Sorts checked files by their first trade. */
function byFirstTrade({ preview: a }: ImportItem, { preview: b }: ImportItem): number {
  return Date.parse(a?.from ?? "9999-12-31") - Date.parse(b?.from ?? "9999-12-31");
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
