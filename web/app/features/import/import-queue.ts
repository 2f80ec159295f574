import type { Book } from "#content/books.ts";
import type { ImportFailure } from "#features/import/import-failure.ts";
import { cancelled } from "#features/import/import-failure.ts";
import { type FileState, type ImportItem, inPhase, isBusy, toSend } from "#features/import/import-item.ts";
import {
  type Choices,
  type Mismatch,
  needsReview,
  type Preview,
  type Report,
  sameDoubts,
  UNDECIDED,
} from "#features/import/preview.ts";

/** It ended without an answer to what was asked. */
export type Ended =
  /** `gone`: the server has forgotten the preview. */
  | { kind: "failed"; failure: ImportFailure; gone?: boolean }
  /** `open`: the trades may have changed. */
  | { kind: "cancelled"; open: boolean };

/** Nothing was done: the server takes no more for so many seconds. */
export type Later = { kind: "later"; seconds: number };

export type Checked =
  | { kind: "preview"; preview: Preview }
  | { kind: "mismatch"; found: Mismatch["found"] }
  | Later
  | Ended;
export type Stored = { kind: "done"; report: Report } | { kind: "changed"; preview: Preview } | Later | Ended;

export type Sender = {
  check(file: File, book: Book, signal: AbortSignal, onShare: (share: number) => void): Promise<Checked>;
  recall(previewId: string, signal: AbortSignal): Promise<Checked>;
  store(preview: Preview, choices: Choices, signal: AbortSignal): Promise<Stored>;
  /** Comes back after so many seconds, or when it is stopped. */
  pause(seconds: number, signal: AbortSignal): Promise<void>;
};

export type QueueEvents = {
  /** A new batch: the news of the one before is old. */
  onBegin: () => void;
  onStored: (report: Report) => void;
  /** It ended without an answer: the trades may have changed. */
  onOpen: () => void;
  /** Nothing is under way any more. */
  onSettled: (items: readonly ImportItem[]) => void;
};

/** What is kept of an item over a reload. */
export type Kept = Pick<ImportItem, "name" | "book" | "choices"> & { previewId: string };

const ANEW = { preview: undefined, previewId: undefined, choices: UNDECIDED };

/** Files on their way into the log, one after the other: each is checked, and stored at once when nothing is doubtful. */
export class ImportQueue {
  readonly #load: () => Promise<Sender>;
  readonly #events: QueueEvents;
  readonly #listeners = new Set<() => void>();
  /** By item, how many imports had gone in when its preview was made. */
  readonly #seen = new Map<number, number>();
  #items: readonly ImportItem[] = [];
  #running: { id: number; stop: AbortController } | undefined;
  #lastId = 0;
  /** Imports that went in from here: a preview of before may be old because of them. */
  #stored = 0;
  #stopped = false;

  constructor(load: () => Promise<Sender>, events: QueueEvents) {
    this.#load = load;
    this.#events = events;
  }

  items = (): readonly ImportItem[] => this.#items;

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** What was refused goes with the next choice; the same file again takes the place of the one before. */
  choose = (files: readonly File[], book: Book): void => {
    const again = (item: ImportItem) => files.some((file) => isSame(item, file));
    const before = this.#items.filter((item) => {
      const { phase } = item.state;
      if (phase === "chosen" || phase === "cancelled") return !again(item);
      return phase !== "failed" && phase !== "done";
    });
    const added = files.map(
      (file): ImportItem => ({
        ...ANEW,
        id: this.#nextId(),
        name: file.name,
        file,
        book,
        state: { phase: "chosen" },
      }),
    );
    this.#show([...before, ...added]);
  };

  /** As they were before a reload. */
  restore = (kept: readonly Kept[]): void => {
    this.#stopped = false;
    const restored = kept.map(
      (one): ImportItem => ({
        ...one,
        id: this.#nextId(),
        file: undefined,
        preview: undefined,
        state: { phase: "waiting" },
      }),
    );
    this.#show([...this.#items, ...restored]);
    if (restored.length > 0) void this.#run();
  };

  remove = (id: number): void => {
    this.#show(this.#items.filter((item) => item.id !== id));
  };

  /** Sends what is chosen. */
  submit = (book: Book): void => {
    if (isBusy(this.#items)) return;
    this.#events.onBegin();
    this.dropDone();
    for (const { id, file } of toSend(this.#items)) if (file) this.#enqueue(id, { ...ANEW, book });
  };

  /** The file goes into the book that it is of. */
  confirm = (id: number): void => {
    const item = this.#items.find((one) => one.id === id);
    if (item?.state.phase === "mismatch") this.#enqueue(id, { ...ANEW, book: item.state.found });
  };

  retry = (id: number): void => this.#enqueue(id);

  /** Ends what is under way, and puts back what waits for its turn or for an answer. */
  cancel = (id: number): void => {
    if (this.#running?.id === id) this.#running.stop.abort();
    else this.#patch(id, { state: { phase: "chosen" } });
  };

  decide = (id: number, choices: Choices): void => this.#patch(id, { choices });

  /** Everything that was looked at goes in. */
  store = (): void => {
    for (const { id } of inPhase(this.#items, "review")) this.#enqueue(id);
  };

  /** The review is put away: files stay chosen, and nothing is stored. */
  discard = (): void => {
    const left = this.#items.filter(({ state, file }) => file || state.phase !== "review");
    this.#show(
      left.map((item) =>
        item.state.phase === "review" ? { ...item, ...ANEW, state: { phase: "chosen" } } : item,
      ),
    );
  };

  dropDone = (): void => {
    this.#show(this.#items.filter(({ state }) => state.phase !== "done"));
  };

  /** Nobody is left to hear the answer. */
  stop = (): void => {
    this.#stopped = true;
    this.#show(this.#items.filter(({ state }) => state.phase !== "waiting"));
    this.#running?.stop.abort();
  };

  #nextId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  #show(next: readonly ImportItem[]): void {
    this.#items = next;
    for (const listener of this.#listeners) listener();
  }

  #patch(id: number, change: Partial<ImportItem>): void {
    this.#show(this.#items.map((item) => (item.id === id ? { ...item, ...change } : item)));
  }

  /** Puts an item at the end of the line. */
  #enqueue(id: number, change: Partial<ImportItem> = {}): void {
    this.#patch(id, { ...change, state: { phase: "waiting" } });
    void this.#run();
  }

  async #run(): Promise<void> {
    if (this.#running) return;
    for (;;) {
      const [item] = inPhase(this.#items, "waiting");
      if (!item) break;
      const stop = new AbortController();
      this.#running = { id: item.id, stop };
      const state = await this.#work(item, stop.signal).catch(failed);
      this.#running = undefined;
      this.#patch(item.id, { state });
      if (state.phase === "done") this.#events.onStored(state.report);
    }
    if (!this.#stopped) this.#events.onSettled(this.#items);
  }

  async #work(item: ImportItem, signal: AbortSignal): Promise<FileState> {
    const sender = await this.#load();
    if (item.preview) return this.#store(sender, item, item.preview, signal);
    const { previewId } = item;
    const checked = await this.#patiently(sender, item.id, signal, () =>
      previewId ? sender.recall(previewId, signal) : this.#check(sender, item, signal),
    );
    if (checked.kind === "mismatch") return { phase: "mismatch", found: checked.found };
    if (checked.kind !== "preview") return this.#ended(item.id, checked);
    this.#learn(item.id, checked.preview);
    // What was looked at before a reload is looked at again.
    if (item.previewId || needsReview(checked.preview)) return { phase: "review", changed: false };
    return this.#store(sender, item, checked.preview, signal);
  }

  #check(sender: Sender, { id, file, book }: ImportItem, signal: AbortSignal): Promise<Checked> {
    if (!file) throw new Error("A file that is gone cannot be sent.");
    const sending = (share: number) => this.#patch(id, { state: { phase: "sending", share } });
    sending(0);
    // In whole percents: a fast line reports far more often than anybody can see.
    return sender.check(file, book, signal, (share) =>
      sending(share >= 1 ? 1 : Math.floor(share * 100) / 100),
    );
  }

  async #store(
    sender: Sender,
    { id, choices }: ImportItem,
    first: Preview,
    signal: AbortSignal,
  ): Promise<FileState> {
    let preview = first;
    for (;;) {
      const answer = await this.#patiently(sender, id, signal, () => {
        this.#patch(id, { state: { phase: "storing" } });
        return sender.store(preview, choices, signal);
      });
      if (answer.kind === "done") {
        this.#stored += 1;
        return { phase: "done", report: answer.report };
      }
      if (answer.kind !== "changed") return this.#ended(id, answer);
      // Another file of this page holds some of the same trades: that raises no question.
      const ours = this.#stored > (this.#seen.get(id) ?? 0) && sameDoubts(preview, answer.preview);
      this.#learn(id, answer.preview);
      if (!ours) return { phase: "review", changed: true };
      preview = answer.preview;
    }
  }

  /** Asks until the server takes it. Files behind it wait as well: they would be told the same. */
  async #patiently<T extends { kind: string }>(
    sender: Sender,
    id: number,
    signal: AbortSignal,
    ask: () => Promise<T | Later>,
  ): Promise<T | Ended> {
    for (;;) {
      const answer = await ask();
      if (!isLater(answer)) return answer;
      const { seconds } = answer;
      this.#patch(id, { state: { phase: "waiting", seconds } });
      await sender.pause(seconds, signal);
      if (signal.aborted) return { kind: "cancelled", open: false };
    }
  }

  #learn(id: number, preview: Preview): void {
    this.#seen.set(id, this.#stored);
    this.#patch(id, { preview, previewId: preview.id });
  }

  #ended(id: number, end: Ended): FileState {
    if (end.kind === "cancelled") {
      if (end.open) this.#events.onOpen();
      return { phase: "cancelled", text: cancelled(end.open) };
    }
    if (end.failure.open) this.#events.onOpen();
    if (end.gone) this.#patch(id, { preview: undefined, previewId: undefined });
    return { phase: "failed", failure: end.failure };
  }
}

/** Reports of two folders may share a name. Of a file that is gone after a reload the name is all there is. */
function isSame({ name, file }: ImportItem, other: File): boolean {
  if (name !== other.name) return false;
  return !file || (file.size === other.size && file.lastModified === other.lastModified);
}

function isLater(answer: { kind: string }): answer is Later {
  return answer.kind === "later";
}

function failed(error: unknown): FileState {
  console.error(error);
  return {
    phase: "failed",
    failure: { title: "Error uploading file.", text: "Nothing was stored.", retry: true, open: false },
  };
}
