import type { JournalEntry } from "#features/trader-journal/journal-entry.ts";
import { type Screenshot, screenshotsOf } from "#features/trader-journal/screenshots/screenshot.ts";

export type RequestResult =
  | { kind: "done" }
  /** `isGone` if the server has no such screenshot. */
  | { kind: "failed"; message: string; isGone: boolean };

export type ListRequests = {
  delete: (id: string) => Promise<RequestResult>;
  restore: (id: string) => Promise<RequestResult>;
};

export type ListState = {
  /** Oldest first. */
  screenshots: readonly Screenshot[];
  /** Screenshots deleted here that can be restored. */
  deleted: readonly Screenshot[];
  /** Message of a failed deletion or restoration. */
  failure: string;
};

/** Stored screenshots of an entry. A deletion shows at once, and can be undone. */
export class ScreenshotList {
  #state: ListState;
  readonly #requests: ListRequests;
  readonly #onChanged: () => void;
  readonly #listeners = new Set<() => void>();
  /** Last request, so that an undo is sent after its deletion. */
  #last: Promise<void> = Promise.resolve();

  constructor(screenshots: readonly Screenshot[], requests: ListRequests, onChanged: () => void) {
    this.#state = { screenshots, deleted: [], failure: "" };
    this.#requests = requests;
    this.#onChanged = onChanged;
  }

  state = (): ListState => this.#state;

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Adds the screenshot that was uploaded as `id`. Others of the entry may have been deleted here meanwhile. */
  add(entry: JournalEntry, id: string): void {
    const added = screenshotsOf(entry).find((one) => one.id === id);
    if (added) this.#set({ screenshots: insert(this.#state.screenshots, added) });
  }

  delete(id: string): Promise<void> {
    const screenshot = this.#state.screenshots.find((one) => one.id === id);
    if (!screenshot) return this.#last;
    this.#set({
      screenshots: without(this.#state.screenshots, id),
      deleted: [...this.#state.deleted, screenshot],
      failure: "",
    });
    return this.#enqueue(async () => {
      const result = await this.#requests.delete(id);
      if (result.kind === "done") return this.#onChanged();
      const deleted = without(this.#state.deleted, id);
      if (result.isGone) this.#set({ deleted });
      else
        this.#set({
          deleted,
          screenshots: insert(this.#state.screenshots, screenshot),
          failure: `The screenshot was not deleted. ${result.message}`,
        });
    });
  }

  /** Restores all screenshots that were deleted here. */
  undo(): Promise<void> {
    return this.#enqueue(async () => {
      this.#set({ failure: "" });
      for (const screenshot of this.#state.deleted) {
        const result = await this.#requests.restore(screenshot.id);
        if (result.kind === "failed") {
          this.#set({ failure: `The screenshot was not restored. ${result.message}` });
          if (!result.isGone) return;
        }
        this.#set({
          deleted: without(this.#state.deleted, screenshot.id),
          ...(result.kind === "done" && { screenshots: insert(this.#state.screenshots, screenshot) }),
        });
        this.#onChanged();
      }
    });
  }

  /** Hides the offer to restore. */
  dismiss(): void {
    this.#set({ deleted: [], failure: "" });
  }

  #enqueue(task: () => Promise<void>): Promise<void> {
    this.#last = this.#last.then(task);
    return this.#last;
  }

  #set(changed: Partial<ListState>): void {
    this.#state = { ...this.#state, ...changed };
    for (const listener of this.#listeners) listener();
  }
}

function without(screenshots: readonly Screenshot[], id: string): Screenshot[] {
  return screenshots.filter((one) => one.id !== id);
}

/** Inserts a screenshot once, by the time at which it was added. */
function insert(screenshots: readonly Screenshot[], added: Screenshot): Screenshot[] {
  return [...without(screenshots, added.id), added].toSorted(
    (one, other) => Date.parse(one.addedAt) - Date.parse(other.addedAt),
  );
}
