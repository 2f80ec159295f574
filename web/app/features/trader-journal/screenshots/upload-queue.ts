import type { JournalEntry } from "#features/trader-journal/journal-entry.ts";
import { MAX_SCREENSHOTS } from "#features/trader-journal/screenshots/screenshot.ts";

export type UploadState =
  | { phase: "waiting" }
  | { phase: "preparing" }
  /** `share` of the bytes sent, from 0 to 1. */
  | { phase: "sending"; share: number }
  | { phase: "failed"; message: string; canRetry: boolean };

/** Picture to upload. A retry sends the same `id`, so the server stores it once. */
export type Upload = { id: string; file: File; state: UploadState };

export type PreparedPicture = { kind: "ready"; picture: File } | { kind: "rejected"; message: string };

export type SendResult =
  | { kind: "stored"; entry: JournalEntry }
  /** `maybeStored` if the picture was sent completely, but no response arrived. */
  | { kind: "failed"; message: string; canRetry: boolean; maybeStored?: boolean };

export type SendOptions = { signal: AbortSignal; onProgress: (share: number) => void };

export type UploadApi = {
  prepare: (file: File) => Promise<PreparedPicture>;
  send: (id: string, picture: File, options: SendOptions) => Promise<SendResult>;
  /** Deletes a screenshot that may have been stored although its upload was removed. */
  discard: (id: string) => void;
};

/** Open editor of the entry. */
export type UploadOwner = {
  /** Saves the text first, so that the entry is created by one request only. */
  beforeSend: () => Promise<void>;
  onStored: (entry: JournalEntry, id: string) => void;
};

export type UploadEvents = {
  onChange: () => void;
  /** Called if the editor of the entry is closed before failed uploads are repeated, or uploads fail after that. */
  onUnattended: (failed: readonly Upload[]) => void;
};

/**
 * Uploads the pictures of one entry, one at a time. It continues while the trader is on other pages; failed pictures stay
 * in memory until they are repeated or removed.
 */
export class UploadQueue {
  /** True once a picture was sent, so that the entry may exist. */
  hasSent = false;
  readonly #api: UploadApi;
  readonly #events: UploadEvents;
  readonly #listeners = new Set<() => void>();
  /** Prepared pictures by upload id, so that a retry does not draw them again. */
  readonly #pictures = new Map<string, File>();
  readonly #maybeStored = new Set<string>();
  #uploads: readonly Upload[] = [];
  #owner: UploadOwner | undefined;
  /** Screenshots stored while no editor was open. */
  #missed: { entry: JournalEntry; id: string }[] = [];
  #running: { id: string; controller: AbortController } | undefined;

  constructor(api: UploadApi, events: UploadEvents) {
    this.#api = api;
    this.#events = events;
  }

  uploads = (): readonly Upload[] => this.#uploads;

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Connects the editor of the entry. Returns a function that disconnects it; the uploads continue. */
  attach(owner: UploadOwner): () => void {
    this.#owner = owner;
    for (const { entry, id } of this.#missed) owner.onStored(entry, id);
    this.#missed = [];
    return () => {
      if (this.#owner !== owner) return;
      this.#owner = undefined;
      // The trader has seen why the others were rejected.
      this.#reportUnattended(isUnfinished);
    };
  }

  /** Adds files as far as the entry has room. Returns the number of files that were not added. */
  add(files: readonly File[], storedCount: number): number {
    const remaining = this.#uploads.filter(isUnfinished);
    const room = Math.max(0, MAX_SCREENSHOTS - storedCount - remaining.length);
    const added = files
      .slice(0, room)
      .map((file): Upload => ({ id: crypto.randomUUID(), file, state: { phase: "waiting" } }));
    this.#set([...remaining, ...added]);
    void this.#run();
    return files.length - added.length;
  }

  retry(id: string): void {
    this.#setState(id, { phase: "waiting" });
    void this.#run();
  }

  /** Repeats all uploads that may succeed now, as after a lost connection. */
  retryAll(): void {
    for (const { id, state } of this.#uploads)
      if (state.phase === "failed" && state.canRetry) this.#setState(id, { phase: "waiting" });
    void this.#run();
  }

  /** Removes an upload, and ends it if it is being sent. */
  remove(id: string): void {
    const upload = this.#uploads.find((one) => one.id === id);
    const { state } = upload ?? {};
    if (this.#running?.id === id) this.#running.controller.abort();
    if (this.#maybeStored.has(id) || (state?.phase === "sending" && state.share >= 1)) this.#api.discard(id);
    this.#drop(id);
  }

  /** Ends all uploads, because the session has ended. */
  stop(): void {
    this.#running?.controller.abort();
    this.#pictures.clear();
    this.#missed = [];
    this.#set([]);
  }

  async #run(): Promise<void> {
    if (this.#running) return;
    for (;;) {
      const next = this.#uploads.find(({ state }) => state.phase === "waiting");
      if (!next) break;
      const controller = new AbortController();
      this.#running = { id: next.id, controller };
      const result = await this.#upload(next, controller.signal).catch(unexpectedFailure);
      this.#running = undefined;
      if (!controller.signal.aborted) this.#finish(next.id, result);
    }
    if (!this.#owner) this.#reportUnattended(() => true);
  }

  async #upload({ id, file }: Upload, signal: AbortSignal): Promise<SendResult> {
    let picture = this.#pictures.get(id);
    if (!picture) {
      this.#setState(id, { phase: "preparing" });
      const prepared = await this.#api.prepare(file);
      if (prepared.kind === "rejected") return { kind: "failed", message: prepared.message, canRetry: false };
      picture = prepared.picture;
      if (!signal.aborted) this.#pictures.set(id, picture);
    }
    await this.#owner?.beforeSend();
    if (signal.aborted) return { kind: "failed", message: "", canRetry: true };
    this.hasSent = true;
    // In whole percent, because the browser reports progress far more often than necessary.
    const setShare = (share: number) =>
      this.#setState(id, { phase: "sending", share: Math.floor(share * 100) / 100 });
    setShare(0);
    return this.#api.send(id, picture, { signal, onProgress: setShare });
  }

  #finish(id: string, result: SendResult): void {
    if (result.kind === "failed") {
      const { message, canRetry, maybeStored } = result;
      if (maybeStored) this.#maybeStored.add(id);
      this.#setState(id, { phase: "failed", message, canRetry });
      return;
    }
    if (this.#owner) this.#owner.onStored(result.entry, id);
    else this.#missed.push({ entry: result.entry, id });
    this.#drop(id);
  }

  #reportUnattended(isReported: (upload: Upload) => boolean): void {
    const failed = this.#uploads.filter((upload) => upload.state.phase === "failed" && isReported(upload));
    if (failed.length > 0) this.#events.onUnattended(failed);
  }

  #drop(id: string): void {
    this.#pictures.delete(id);
    this.#maybeStored.delete(id);
    this.#set(this.#uploads.filter((one) => one.id !== id));
  }

  #setState(id: string, state: UploadState): void {
    this.#set(this.#uploads.map((one) => (one.id === id ? { ...one, state } : one)));
  }

  #set(uploads: readonly Upload[]): void {
    this.#uploads = uploads;
    this.#events.onChange();
    for (const listener of this.#listeners) listener();
  }
}

/** Returns false for a picture that was rejected, which is only listed until the trader removes it. */
export function isUnfinished({ state }: Upload): boolean {
  return state.phase !== "failed" || state.canRetry;
}

function unexpectedFailure(error: unknown): SendResult {
  console.error("A picture was not uploaded.", error);
  return { kind: "failed", message: "This picture was not uploaded. Please try again.", canRetry: true };
}
