import { describe, expect, test, vi } from "vitest";
import { contentOf, type JournalEntry } from "#features/trader-journal/journal-entry.ts";
import {
  type SendResult,
  type Upload,
  type UploadApi,
  UploadQueue,
} from "#features/trader-journal/screenshots/upload-queue.ts";

const { rating: _, ...EMPTY } = contentOf(null);
const ENTRY: JournalEntry = {
  ...EMPTY,
  id: "1",
  kind: "day",
  key: "2026-11-20",
  day: "2026-11-20",
  symbol: "",
  quantity: null,
  version: 1,
  updatedAt: "2026-11-20T10:00:00Z",
  screenshots: [],
};
const STORED: SendResult = { kind: "stored", entry: ENTRY };
const OFFLINE: SendResult = { kind: "failed", message: "Not reached.", canRetry: true };
const picture = (name: string) => new File(["x"], name, { type: "image/png" });
const pictures = (total: number) => Array.from({ length: total }, (_, index) => picture(`${index}.png`));

/** Queue with a fake server that gives the results in order, and records requests and events. */
function createQueue(results: SendResult[], { isAttached = true, api = {} as Partial<UploadApi> } = {}) {
  const log: string[] = [];
  const sentIds: string[] = [];
  const unattended: (readonly Upload[])[] = [];
  const queue = new UploadQueue(
    {
      async prepare(file) {
        log.push(`prepare ${file.name}`);
        if (file.name.endsWith(".txt")) return { kind: "rejected", message: "Not a picture." };
        return { kind: "ready", picture: file };
      },
      async send(id, { name }, { onProgress }) {
        log.push(`send ${name}`);
        sentIds.push(id);
        onProgress(0.504);
        return results.shift() ?? STORED;
      },
      discard: () => log.push("discard"),
      ...api,
    },
    { onChange: () => undefined, onUnattended: (failed) => unattended.push(failed) },
  );
  const attach = () =>
    queue.attach({
      beforeSend: async () => void log.push("save text"),
      onStored: () => log.push("stored"),
    });
  const detach = isAttached ? attach() : () => undefined;
  /** Waits until no picture is waiting or being sent. */
  const settle = () =>
    vi.waitFor(() => expect(queue.uploads().every(({ state }) => state.phase === "failed")).toBe(true));
  const states = () => queue.uploads().map(({ state }) => state);
  return { queue, log, sentIds, unattended, attach, detach, settle, states };
}

describe("uploading", () => {
  test("pictures are sent one after the other, each after the text was saved", async () => {
    const { queue, log, sentIds, settle } = createQueue([]);
    expect(queue.add([picture("a.png"), picture("b.png")], 0)).toBe(0);
    await settle();
    const each = (name: string) => [`prepare ${name}`, "save text", `send ${name}`, "stored"];
    expect(log).toEqual([...each("a.png"), ...each("b.png")]);
    expect(new Set(sentIds).size).toBe(2);
    expect(queue.uploads()).toEqual([]);
  });

  test("the progress is shown in whole percent", async () => {
    const shares: number[] = [];
    const { queue, settle } = createQueue([]);
    queue.subscribe(() => {
      const state = queue.uploads()[0]?.state;
      if (state?.phase === "sending") shares.push(state.share);
    });
    queue.add([picture("a.png")], 0);
    await settle();
    expect(shares).toEqual([0, 0.5]);
  });

  test("a file that is not a picture is not sent, and the next one is", async () => {
    const { queue, log, states, settle } = createQueue([]);
    queue.add([picture("notes.txt"), picture("a.png")], 0);
    await settle();
    expect(states()).toEqual([{ phase: "failed", message: "Not a picture.", canRetry: false }]);
    expect(log).not.toContain("send notes.txt");
    expect(log).toContain("stored");
  });
});

describe("a failed upload", () => {
  test("stays in the list, and a retry sends the same id without preparing the picture again", async () => {
    const { queue, log, sentIds, states, settle } = createQueue([OFFLINE, STORED]);
    queue.add([picture("a.png")], 0);
    await settle();
    expect(states()).toEqual([{ phase: "failed", message: "Not reached.", canRetry: true }]);
    queue.retry(queue.uploads()[0]?.id ?? "");
    await settle();
    expect(queue.uploads()).toEqual([]);
    expect(sentIds[1]).toBe(sentIds[0]);
    expect(log.filter((line) => line === "prepare a.png")).toHaveLength(1);
  });

  test("is repeated when the connection is back; a rejected file is not", async () => {
    const { queue, log, states, settle } = createQueue([OFFLINE, STORED]);
    queue.add([picture("notes.txt"), picture("a.png")], 0);
    await settle();
    expect(states()).toHaveLength(2);
    queue.retryAll();
    await settle();
    expect(states()).toMatchObject([{ canRetry: false }]);
    expect(log.filter((line) => line === "prepare notes.txt")).toHaveLength(1);
  });

  test("can be removed; one that may have been stored is deleted on the server", async () => {
    const { queue, log, settle } = createQueue([OFFLINE, { ...OFFLINE, maybeStored: true }]);
    queue.add(pictures(2), 0);
    await settle();
    for (const { id } of queue.uploads()) queue.remove(id);
    expect(queue.uploads()).toEqual([]);
    expect(log.filter((line) => line === "discard")).toHaveLength(1);
  });

  test("a removed upload is aborted, and the next one starts", async () => {
    let aborted = false;
    const send = vi.fn<UploadApi["send"]>(async (_id, _picture, { signal }) => {
      if (send.mock.calls.length > 1) return STORED;
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      aborted = true;
      return OFFLINE;
    });
    const { queue, log, settle } = createQueue([], { api: { send } });
    queue.add(pictures(2), 0);
    await vi.waitFor(() => expect(queue.uploads()[0]?.state.phase).toBe("sending"));
    queue.remove(queue.uploads()[0]?.id ?? "");
    await settle();
    expect([aborted, queue.uploads()]).toEqual([true, []]);
    expect(log.filter((line) => line === "stored")).toHaveLength(1);
  });
});

describe("the limit of 10", () => {
  test.each([
    [11, 0, 1],
    [3, 8, 1],
    [2, 10, 2],
    [10, 0, 0],
  ])("of %i files beside %i stored screenshots, %i are refused", async (files, stored, refused) => {
    const { queue, log, settle } = createQueue([]);
    expect(queue.add(pictures(files), stored)).toBe(refused);
    await settle();
    expect(log.filter((line) => line === "stored")).toHaveLength(files - refused);
  });

  test("failed uploads count, rejected files do not", async () => {
    const { queue, settle } = createQueue([OFFLINE]);
    queue.add([picture("notes.txt"), picture("a.png")], 0);
    await settle();
    expect(queue.add(pictures(9), 1)).toBe(1);
    await settle();
  });
});

describe("while no editor is open", () => {
  test("uploads continue, and the editor gets the screenshot when it is opened again", async () => {
    const { queue, log, detach, attach, settle } = createQueue([]);
    queue.add([picture("a.png")], 0);
    detach();
    await settle();
    expect(log).toEqual(["prepare a.png", "send a.png"]);
    attach();
    expect(log.at(-1)).toBe("stored");
    expect(queue.hasSent).toBe(true);
  });

  test("a failure is reported, and so is one that was left behind", async () => {
    const background = createQueue([OFFLINE], { isAttached: false });
    background.queue.add([picture("a.png")], 0);
    await background.settle();
    await vi.waitFor(() => expect(background.unattended).toMatchObject([[{ file: { name: "a.png" } }]]));

    const { queue, unattended, detach, settle } = createQueue([OFFLINE]);
    queue.add([picture("a.png"), picture("notes.txt")], 0);
    await settle();
    expect(unattended).toEqual([]);
    detach();
    expect(unattended).toMatchObject([[{ file: { name: "a.png" } }]]);
  });

  test("nothing is sent after the session has ended", async () => {
    const { queue, log } = createQueue([], { isAttached: false });
    queue.add(pictures(2), 0);
    queue.stop();
    await Promise.resolve();
    await vi.waitFor(() => expect(queue.uploads()).toEqual([]));
    expect(log.filter((line) => line.startsWith("send"))).toEqual([]);
  });
});
