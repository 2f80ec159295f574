import { type Draft, type DraftStore, draftId } from "#features/trader-journal/draft-store.ts";
import {
  contentOf,
  type EntryContent,
  isSameContent,
  type JournalEntry,
  type JournalSubject,
  keepBoth,
  mergeContent,
} from "#features/trader-journal/journal-entry.ts";
import { type Screenshot, screenshotsOf } from "#features/trader-journal/screenshots/screenshot.ts";

/** Result of sending an entry. `failed` may be repeated, `rejected` not before the content changes. */
export type SaveResult =
  | { kind: "saved"; entry: JournalEntry }
  | { kind: "conflict"; stored: JournalEntry }
  | { kind: "failed"; message: string }
  | { kind: "rejected"; message: string };

export type SaverState = {
  content: EntryContent;
  version: number;
  status: "saved" | "changed" | "saving" | "failed" | "rejected" | "conflict";
  /** Message of a failure. */
  message: string;
  /** Stored entry of a conflict. */
  stored: JournalEntry | undefined;
  /** Unsaved texts of other tabs or an earlier visit. */
  otherDrafts: Draft[];
};

export type SaverOptions = {
  email: string;
  tab: string;
  subject: JournalSubject;
  entry: JournalEntry | null;
  drafts: DraftStore;
  send: (content: EntryContent, version: number) => Promise<SaveResult>;
  onChange: (state: SaverState) => void;
  onSaved?: (entry: JournalEntry) => void;
};

/** Delay between the last edit and saving. */
const SAVE_DELAY_MS = 800;
/** Delay before a failed save is repeated. */
const RETRY_DELAY_MS = 10_000;

/**
 * Saves the entry that is edited, one request at a time. Every edit is first kept in the browser, and removed from there
 * only when the server has it. Versions of other tabs are merged, or shown as a conflict.
 */
export class EntrySaver {
  state: SaverState;
  readonly email: string;
  readonly subject: JournalSubject;
  /** Screenshots of the entry when it was loaded. */
  readonly loadedScreenshots: readonly Screenshot[];
  /** Content of `state.version`. */
  #base: EntryContent;
  #options: SaverOptions;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #sending: Promise<void> | undefined;

  constructor(options: SaverOptions) {
    this.#options = options;
    this.email = options.email;
    this.subject = options.subject;
    this.loadedScreenshots = screenshotsOf(options.entry);
    this.#base = contentOf(options.entry);
    this.state = {
      content: this.#base,
      version: options.entry?.version ?? 0,
      status: "saved",
      message: "",
      stored: undefined,
      otherDrafts: [],
    };
  }

  /** Restores the draft of this tab, and finds those of others. */
  async restore(): Promise<void> {
    const { drafts, email, subject, tab } = this.#options;
    const all = await drafts.list(email, subject);
    const otherDrafts = all.filter(
      (draft) => draft.tab !== tab && !isSameContent(draft.content, this.state.content),
    );
    this.#set({ otherDrafts });
    const own = all.find((draft) => draft.tab === tab);
    if (!own || this.state.status !== "saved") return;
    const merged = mergeContent(own.base, own.content, this.#base);
    if (merged) this.edit(merged);
    // The server has another version since: the next save reports the conflict.
    else this.#set({ content: own.content, status: "conflict", stored: this.#options.entry ?? undefined });
  }

  edit(changed: Partial<EntryContent>): void {
    const content = { ...this.state.content, ...changed };
    const status = this.state.status === "conflict" ? "conflict" : "changed";
    this.#set({ content, status });
    this.#keepDraft();
    if (status === "changed") this.#schedule(SAVE_DELAY_MS);
  }

  /** Saves now. Returns when the server has responded. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    if (this.#sending) await this.#sending;
    if (!["changed", "failed", "rejected"].includes(this.state.status)) return;
    this.#sending = this.#send();
    await this.#sending;
    this.#sending = undefined;
    // Edited while the request was sent.
    if (this.state.status === "changed") await this.flush();
  }

  /**
   * Takes over the stored entry after an upload, which creates an entry without content if there is none. Edits that are
   * not saved yet are kept and saved as the next version.
   */
  async adopt(stored: JournalEntry): Promise<void> {
    // The request may save the version of the stored entry, or a later one.
    while (this.#sending) await this.#sending;
    const { status, version } = this.state;
    if (stored.version >= version) this.#options.onSaved?.(stored);
    if (stored.version <= version || status === "conflict") return;
    this.#merge(stored);
    if (this.state.status !== "changed") return;
    if (isSameContent(this.state.content, this.#base)) this.#finish(this.state.content, stored.version);
    else this.#schedule(SAVE_DELAY_MS);
  }

  /** Ends a conflict. Both texts remain in `both`. */
  async resolve(choice: "both" | "edited" | "stored"): Promise<void> {
    const { stored, content } = this.state;
    if (!stored) return;
    this.#base = contentOf(stored);
    const chosen = { both: keepBoth(this.#base, content), edited: content, stored: this.#base }[choice];
    this.#set({ content: chosen, version: stored.version, status: "changed", stored: undefined });
    this.#keepDraft();
    await this.flush();
  }

  /** Adds the text of another draft, or deletes it. */
  async takeDraft(draft: Draft, insert: boolean): Promise<void> {
    this.#set({ otherDrafts: this.state.otherDrafts.filter(({ id }) => id !== draft.id) });
    if (insert) {
      this.edit(keepBoth(this.state.content, draft.content));
      await this.flush();
    }
    await this.#options.drafts.remove(draft.id);
  }

  /** Stops saving. The draft remains in the browser. */
  stop(): void {
    clearTimeout(this.#timer);
  }

  async #send(): Promise<void> {
    const { content, version } = this.state;
    if (isSameContent(content, this.#base) && version > 0) return this.#finish(content, version);
    this.#set({ status: "saving" });
    const result = await this.#options.send(content, version);
    if (result.kind === "saved") {
      this.#base = contentOf(result.entry);
      this.#options.onSaved?.(result.entry);
      return this.#finish(content, result.entry.version);
    }
    if (result.kind === "conflict") return this.#merge(result.stored);
    this.#set({ status: result.kind, message: result.message });
    if (result.kind === "failed") this.#schedule(RETRY_DELAY_MS);
  }

  /** Records that the server has `content` as `version`. */
  #finish(content: EntryContent, version: number): void {
    const isCurrent = isSameContent(content, this.state.content);
    this.#set({ version, status: isCurrent ? "saved" : "changed", message: "" });
    if (isCurrent) void this.#options.drafts.remove(this.#draftId());
    else this.#keepDraft();
  }

  #merge(stored: JournalEntry): void {
    const merged = mergeContent(this.#base, this.state.content, contentOf(stored));
    if (!merged) {
      this.#set({ status: "conflict", stored });
      return;
    }
    this.#base = contentOf(stored);
    this.#set({ content: merged, version: stored.version, status: "changed" });
    this.#keepDraft();
  }

  #keepDraft(): void {
    const { email, subject, tab, drafts } = this.#options;
    const { kind, key } = subject;
    const { content, version } = this.state;
    const savedAt = new Date().toISOString();
    void drafts.put({
      id: this.#draftId(),
      email,
      kind,
      key,
      tab,
      base: this.#base,
      version,
      content,
      savedAt,
    });
  }

  #draftId(): string {
    return draftId(this.#options.email, this.#options.subject, this.#options.tab);
  }

  #schedule(delay: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.flush(), delay);
  }

  #set(changed: Partial<SaverState>): void {
    this.state = { ...this.state, ...changed };
    this.#options.onChange(this.state);
  }
}
