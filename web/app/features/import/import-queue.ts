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

export type Checked =
  | { kind: "preview"; preview: Preview }
  | { kind: "mismatch"; found: Mismatch["found"] }
  | Ended;
export type Stored = { kind: "done"; report: Report } | { kind: "changed"; preview: Preview } | Ended;

export type Sender = {
  check(file: File, book: Book, signal: AbortSignal, onShare: (share: number) => void): Promise<Checked>;
  recall(previewId: string, signal: AbortSignal): Promise<Checked>;
  store(preview: Preview, choices: Choices, signal: AbortSignal): Promise<Stored>;
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

export type ImportQueue = ReturnType<typeof importQueue>;

/** Files on their way into the log, one after the other: each is checked, and stored at once when nothing is doubtful. */
export function importQueue(load: () => Promise<Sender>, events: QueueEvents) {
  let items: readonly ImportItem[] = [];
  let running: { id: number; stop: AbortController } | undefined;
  let lastId = 0;
  /** Imports that went in from here: a preview of before may be old because of them. */
  let stored = 0;
  const seen = new Map<number, number>();
  const listeners = new Set<() => void>();

  function show(next: readonly ImportItem[]): void {
    items = next;
    for (const listener of listeners) listener();
  }

  function patch(id: number, change: Partial<ImportItem>): void {
    show(items.map((item) => (item.id === id ? { ...item, ...change } : item)));
  }

  function learn(id: number, preview: Preview): void {
    seen.set(id, stored);
    patch(id, { preview, previewId: preview.id });
  }

  async function run(): Promise<void> {
    if (running) return;
    for (;;) {
      const [item] = inPhase(items, "waiting");
      if (!item) break;
      const stop = new AbortController();
      running = { id: item.id, stop };
      const state = await work(item, stop.signal).catch(failed);
      running = undefined;
      patch(item.id, { state });
      if (state.phase === "done") events.onStored(state.report);
    }
    events.onSettled(items);
  }

  async function work(item: ImportItem, signal: AbortSignal): Promise<FileState> {
    const sender = await load();
    if (item.preview) return store(sender, item, item.preview, signal);
    const checked = item.previewId
      ? await sender.recall(item.previewId, signal)
      : await check(sender, item, signal);
    if (checked.kind === "mismatch") return { phase: "mismatch", found: checked.found };
    if (checked.kind !== "preview") return ended(item.id, checked);
    learn(item.id, checked.preview);
    // What was looked at before a reload is looked at again.
    if (item.previewId || needsReview(checked.preview)) return { phase: "review", changed: false };
    return store(sender, item, checked.preview, signal);
  }

  function check(sender: Sender, { id, file, book }: ImportItem, signal: AbortSignal): Promise<Checked> {
    if (!file) throw new Error("A file that is gone cannot be sent.");
    const sending = (share: number) => patch(id, { state: { phase: "sending", share } });
    sending(0);
    // In whole percents: a fast line reports far more often than anybody can see.
    return sender.check(file, book, signal, (share) =>
      sending(share >= 1 ? 1 : Math.floor(share * 100) / 100),
    );
  }

  async function store(
    sender: Sender,
    { id, choices }: ImportItem,
    first: Preview,
    signal: AbortSignal,
  ): Promise<FileState> {
    patch(id, { state: { phase: "storing" } });
    let preview = first;
    for (;;) {
      const answer = await sender.store(preview, choices, signal);
      if (answer.kind === "done") {
        stored += 1;
        return { phase: "done", report: answer.report };
      }
      if (answer.kind !== "changed") return ended(id, answer);
      // Another file of this page holds some of the same trades: that raises no question.
      const ours = stored > (seen.get(id) ?? 0) && sameDoubts(preview, answer.preview);
      learn(id, answer.preview);
      if (!ours) return { phase: "review", changed: true };
      preview = answer.preview;
    }
  }

  function ended(id: number, end: Ended): FileState {
    if (end.kind === "cancelled") {
      if (end.open) events.onOpen();
      return { phase: "cancelled", text: cancelled(end.open) };
    }
    if (end.failure.open) events.onOpen();
    if (end.gone) patch(id, { preview: undefined, previewId: undefined });
    return { phase: "failed", failure: end.failure };
  }

  /** Puts an item at the end of the line. */
  function enqueue(id: number, change: Partial<ImportItem> = {}): void {
    patch(id, { ...change, state: { phase: "waiting" } });
    void run();
  }

  const anew = { preview: undefined, previewId: undefined, choices: UNDECIDED };

  return {
    items: () => items,
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    /** What was refused goes with the next choice; the same file again takes the place of the one before. */
    choose(files: readonly File[], book: Book): void {
      const again = (item: ImportItem) => files.some(({ name }) => name === item.name);
      const before = items.filter((item) => {
        const { phase } = item.state;
        if (phase === "chosen" || phase === "cancelled") return !again(item);
        return phase !== "failed" && phase !== "done";
      });
      const added = files.map((file): ImportItem => {
        lastId += 1;
        return { id: lastId, name: file.name, file, book, state: { phase: "chosen" }, ...anew };
      });
      show([...before, ...added]);
    },
    /** As they were before a reload. */
    restore(kept: readonly Kept[]): void {
      const restored = kept.map((one): ImportItem => {
        lastId += 1;
        return { ...one, id: lastId, file: undefined, preview: undefined, state: { phase: "waiting" } };
      });
      show([...items, ...restored]);
      if (restored.length > 0) void run();
    },
    remove(id: number): void {
      show(items.filter((item) => item.id !== id));
    },
    /** Sends what is chosen. */
    submit(book: Book): void {
      if (isBusy(items)) return;
      events.onBegin();
      const ready = toSend(items).filter(({ file }) => file);
      show(items.filter(({ state }) => state.phase !== "done"));
      for (const { id } of ready) enqueue(id, { ...anew, book });
    },
    /** The file goes into the book that it is of. */
    confirm(id: number): void {
      const [item] = inPhase(items, "mismatch").filter((one) => one.id === id);
      if (item?.state.phase === "mismatch") enqueue(id, { ...anew, book: item.state.found });
    },
    retry(id: number): void {
      enqueue(id);
    },
    /** Ends what is under way, and puts back what waits for its turn or for an answer. */
    cancel(id: number): void {
      if (running?.id === id) running.stop.abort();
      else patch(id, { state: { phase: "chosen" } });
    },
    decide(id: number, choices: Choices): void {
      patch(id, { choices });
    },
    /** Everything that was looked at goes in. */
    store(): void {
      for (const { id } of inPhase(items, "review")) enqueue(id);
    },
    /** The review is put away: files stay chosen, and nothing is stored. */
    discard(): void {
      const left = items.filter(({ state, file }) => file || state.phase !== "review");
      show(
        left.map((item) =>
          item.state.phase === "review" ? { ...item, ...anew, state: { phase: "chosen" } } : item,
        ),
      );
    },
    dropDone(): void {
      show(items.filter(({ state }) => state.phase !== "done"));
    },
    /** Nobody is left to hear the answer. */
    stop(): void {
      show(items.filter(({ state }) => state.phase !== "waiting"));
      running?.stop.abort();
    },
  };
}

function failed(error: unknown): FileState {
  console.error(error);
  return {
    phase: "failed",
    failure: { title: "Error uploading file.", text: "Nothing was stored.", retry: true, open: false },
  };
}
