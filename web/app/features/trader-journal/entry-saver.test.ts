import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Draft, DraftStore } from "#features/trader-journal/draft-store.ts";
import { EntrySaver, type SaveResult } from "#features/trader-journal/entry-saver.ts";
import { contentOf, type EntryContent, type JournalEntry } from "#features/trader-journal/journal-entry.ts";

const SUBJECT = { kind: "day", key: "2026-11-20", day: "2026-11-20" } as const;

function entryOf(content: Partial<EntryContent>, version: number): JournalEntry {
  const { rating: _, ...values } = contentOf(content);
  return {
    ...SUBJECT,
    ...values,
    id: "1",
    symbol: "",
    quantity: null,
    version,
    updatedAt: "2026-11-20T10:00:00Z",
    screenshots: [],
  };
}

/** Server with one entry, which can be unreachable. */
class Server {
  entry: JournalEntry | null = null;
  reachable = true;
  requests = 0;
  conflicts = 0;

  save = async (content: EntryContent, version: number): Promise<SaveResult> => {
    this.requests += 1;
    if (!this.reachable) return { kind: "failed", message: "Offline." };
    if ((this.entry?.version ?? 0) !== version && this.entry) {
      this.conflicts += 1;
      return { kind: "conflict", stored: this.entry };
    }
    this.entry = entryOf(content, version + 1);
    return { kind: "saved", entry: this.entry };
  };

  /** Adds a screenshot. Creates the entry without content if there is none; otherwise its version stays the same. */
  addScreenshot(): JournalEntry {
    this.entry ??= entryOf({}, 1);
    return this.entry;
  }
}

function memoryDrafts(): DraftStore & { all: Map<string, Draft> } {
  const all = new Map<string, Draft>();
  return {
    all,
    put: async (draft) => void all.set(draft.id, draft),
    remove: async (id) => void all.delete(id),
    list: async () => [...all.values()],
  };
}

const server = { current: new Server() };
const drafts = { current: memoryDrafts() };

function openTab(tab: string): EntrySaver {
  return new EntrySaver({
    email: "asha@example.in",
    tab,
    subject: SUBJECT,
    entry: server.current.entry,
    drafts: drafts.current,
    send: (content, version) => server.current.save(content, version),
    onChange: () => undefined,
  });
}

beforeEach(() => {
  vi.useFakeTimers();
  server.current = new Server();
  drafts.current = memoryDrafts();
});
afterEach(() => vi.useRealTimers());

describe("saving", () => {
  test("several edits are saved by one request after a pause, and the draft is removed", async () => {
    const tab = openTab("one");
    for (const note of ["W", "Wa", "Wai", "Wait."]) tab.edit({ note });
    expect(drafts.current.all.size).toBe(1);
    await vi.runAllTimersAsync();
    expect(server.current.requests).toBe(1);
    expect(server.current.entry).toMatchObject({ note: "Wait.", version: 1 });
    expect([tab.state.status, drafts.current.all.size]).toEqual(["saved", 0]);
  });

  test("an edit during a request is saved after it", async () => {
    const tab = openTab("one");
    tab.edit({ note: "One" });
    const saving = tab.flush();
    tab.edit({ note: "One, two" });
    await saving;
    await vi.runAllTimersAsync();
    expect(server.current.entry).toMatchObject({ note: "One, two", version: 2 });
    expect(tab.state.status).toBe("saved");
  });
});

describe("without a connection", () => {
  test("an edit is kept and sent when the server can be reached again", async () => {
    server.current.reachable = false;
    const tab = openTab("one");
    tab.edit({ note: "Written on the train." });
    await vi.advanceTimersByTimeAsync(5_000);
    expect([tab.state.status, drafts.current.all.size]).toEqual(["failed", 1]);
    server.current.reachable = true;
    await vi.advanceTimersByTimeAsync(15_000);
    expect(server.current.entry?.note).toBe("Written on the train.");
    expect([tab.state.status, drafts.current.all.size]).toEqual(["saved", 0]);
  });

  test("a reload restores the draft of the tab", async () => {
    server.current.reachable = false;
    const before = openTab("one");
    before.edit({ note: "Written on the train." });
    before.stop();
    server.current.reachable = true;
    const after = openTab("one");
    await after.restore();
    await vi.runAllTimersAsync();
    expect(server.current.entry?.note).toBe("Written on the train.");
  });

  test("a draft of a closed tab is offered and can be added", async () => {
    server.current.reachable = false;
    openTab("closed").edit({ note: "From the closed tab." });
    server.current.reachable = true;
    const tab = openTab("new");
    tab.edit({ note: "Here." });
    await tab.restore();
    const [draft] = tab.state.otherDrafts;
    expect(draft?.content.note).toBe("From the closed tab.");
    if (draft) await tab.takeDraft(draft, true);
    expect(server.current.entry?.note).toBe("Here.\n\nFrom the closed tab.");
    expect(drafts.current.all.size).toBe(0);
  });
});

describe("two tabs", () => {
  test("edits of different fields are merged", async () => {
    const [one, two] = [openTab("one"), openTab("two")];
    one.edit({ plan: "Nothing before 10." });
    await one.flush();
    two.edit({ note: "Held." });
    await two.flush();
    expect(server.current.entry).toMatchObject({ plan: "Nothing before 10.", note: "Held.", version: 2 });
    expect(two.state.content).toMatchObject({ plan: "Nothing before 10.", note: "Held." });
  });

  test.each([
    ["both", "From one.\n\nFrom two."],
    ["edited", "From two."],
    ["stored", "From one."],
  ] as const)("a conflict shows both versions and saves %s", async (choice, note) => {
    const [one, two] = [openTab("one"), openTab("two")];
    one.edit({ note: "From one." });
    await one.flush();
    two.edit({ note: "From two." });
    await two.flush();
    expect(two.state).toMatchObject({ status: "conflict", content: { note: "From two." } });
    expect(two.state.stored?.note).toBe("From one.");
    expect(drafts.current.all.size).toBe(1);
    await two.resolve(choice);
    await vi.runAllTimersAsync();
    expect(server.current.entry?.note).toBe(note);
    expect([two.state.status, drafts.current.all.size]).toEqual(["saved", 0]);
  });
});

describe("an upload of a screenshot", () => {
  test("creates the entry, and the next edit is saved as its second version without a conflict", async () => {
    const tab = openTab("one");
    await tab.adopt(server.current.addScreenshot());
    expect(tab.state).toMatchObject({ status: "saved", version: 1 });
    tab.edit({ note: "Broke out." });
    await vi.runAllTimersAsync();
    expect(server.current.entry).toMatchObject({ note: "Broke out.", version: 2 });
    expect([tab.state.status, server.current.conflicts]).toEqual(["saved", 0]);
  });

  test("keeps the text that is typed meanwhile", async () => {
    const tab = openTab("one");
    tab.edit({ note: "Brok" });
    const stored = server.current.addScreenshot();
    tab.edit({ note: "Broke out." });
    await tab.adopt(stored);
    expect(tab.state.content.note).toBe("Broke out.");
    await vi.runAllTimersAsync();
    expect(server.current.entry).toMatchObject({ note: "Broke out.", version: 2 });
    expect([server.current.conflicts, drafts.current.all.size]).toEqual([0, 0]);
  });

  test("arrives while the entry is saved: both are kept, and the trader sees no conflict", async () => {
    const tab = openTab("one");
    tab.edit({ note: "Broke out." });
    // The server creates the entry for the upload before it receives the text.
    const stored = server.current.addScreenshot();
    await Promise.all([tab.flush(), tab.adopt(stored)]);
    await vi.runAllTimersAsync();
    expect(server.current.conflicts).toBe(1);
    expect(server.current.entry).toMatchObject({ note: "Broke out.", version: 2 });
    expect(tab.state).toMatchObject({ status: "saved", version: 2, stored: undefined });
    expect(drafts.current.all.size).toBe(0);
  });

  test("returns the version that a save has created, or an older one: nothing changes", async () => {
    const tab = openTab("one");
    tab.edit({ note: "Broke out." });
    await tab.flush();
    const stored = server.current.addScreenshot();
    tab.edit({ note: "Broke out. Held." });
    await tab.adopt(stored);
    await tab.flush();
    await tab.adopt(stored);
    expect(tab.state).toMatchObject({ status: "saved", version: 2, content: { note: "Broke out. Held." } });
    expect(server.current.requests).toBe(2);
  });

  test("sends text that could not be saved before", async () => {
    server.current.reachable = false;
    const tab = openTab("one");
    tab.edit({ note: "In the tunnel." });
    await vi.advanceTimersByTimeAsync(5_000);
    expect(tab.state.status).toBe("failed");
    server.current.reachable = true;
    await tab.adopt(server.current.addScreenshot());
    await vi.advanceTimersByTimeAsync(1_000);
    expect(server.current.entry).toMatchObject({ note: "In the tunnel.", version: 2 });
    expect(tab.state.status).toBe("saved");
  });

  test("finds the text of another tab: it is shown, and different texts are a conflict", async () => {
    const [one, two, three] = [openTab("one"), openTab("two"), openTab("three")];
    one.edit({ note: "From one." });
    await one.flush();
    await two.adopt(server.current.addScreenshot());
    expect(two.state).toMatchObject({ status: "saved", version: 1, content: { note: "From one." } });
    three.edit({ note: "From three." });
    await three.adopt(server.current.addScreenshot());
    expect(three.state).toMatchObject({ status: "conflict", content: { note: "From three." } });
    expect(three.state.stored?.note).toBe("From one.");
  });

  test("an entry is reported with its screenshots, so that lists are loaded again", async () => {
    const onSaved = vi.fn();
    const tab = new EntrySaver({
      email: "asha@example.in",
      tab: "one",
      subject: SUBJECT,
      entry: null,
      drafts: drafts.current,
      send: (content, version) => server.current.save(content, version),
      onChange: () => undefined,
      onSaved,
    });
    const stored = server.current.addScreenshot();
    await tab.adopt(stored);
    expect(onSaved).toHaveBeenCalledExactlyOnceWith(stored);
    expect(tab.loadedScreenshots).toEqual([]);
  });
});
