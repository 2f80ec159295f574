import { expect, test } from "vitest";
import { contentOf, type JournalEntry } from "#features/trader-journal/journal-entry.ts";
import type { Screenshot } from "#features/trader-journal/screenshots/screenshot.ts";
import { type RequestResult, ScreenshotList } from "#features/trader-journal/screenshots/screenshot-list.ts";

const screenshot = (id: string, minute: number): Screenshot => ({
  id,
  mediaType: "image/png",
  width: 800,
  height: 600,
  bytes: 1_000,
  addedAt: `2026-11-20T10:0${minute}:00Z`,
});
const [A, B, C] = [screenshot("a", 1), screenshot("b", 2), screenshot("c", 3)];
const DONE: RequestResult = { kind: "done" };
const OFFLINE: RequestResult = { kind: "failed", message: "Not reached.", isGone: false };
const GONE: RequestResult = { kind: "failed", message: "It does not exist.", isGone: true };

function entryWith(screenshots: Screenshot[]): JournalEntry {
  const { rating: _, ...content } = contentOf(null);
  const subject = { kind: "day", key: "2026-11-20", day: "2026-11-20", symbol: "", quantity: null } as const;
  return { ...content, ...subject, id: "1", version: 1, updatedAt: "2026-11-20T10:00:00Z", screenshots };
}

/** List of the screenshots a, b and c, with a server that gives the results in order. */
function createList(results: RequestResult[] = []) {
  const requests: string[] = [];
  const respond = (kind: string) => async (id: string) => {
    requests.push(`${kind} ${id}`);
    return results.shift() ?? DONE;
  };
  let changes = 0;
  const list = new ScreenshotList(
    [A, B, C],
    { delete: respond("delete"), restore: respond("restore") },
    () => {
      changes += 1;
    },
  );
  const ids = () => list.state().screenshots.map(({ id }) => id);
  return {
    list,
    requests,
    ids,
    deletedIds: () => list.state().deleted.map(({ id }) => id),
    changes: () => changes,
  };
}

test("a deleted screenshot disappears at once, and an undo puts it back in its place", async () => {
  const { list, requests, ids, deletedIds, changes } = createList();
  const deletion = list.delete("b");
  expect([ids(), deletedIds()]).toEqual([["a", "c"], ["b"]]);
  await deletion;
  await list.undo();
  expect([ids(), deletedIds()]).toEqual([["a", "b", "c"], []]);
  expect([requests, changes()]).toEqual([["delete b", "restore b"], 2]);
});

test("an undo is sent after the deletion, and restores all deleted screenshots", async () => {
  const { list, requests, ids } = createList();
  void list.delete("c");
  void list.delete("a");
  await list.undo();
  expect(requests).toEqual(["delete c", "delete a", "restore c", "restore a"]);
  expect(ids()).toEqual(["a", "b", "c"]);
});

test("a deletion that fails puts the screenshot back and says why", async () => {
  const { list, ids, deletedIds } = createList([OFFLINE]);
  await list.delete("a");
  expect([ids(), deletedIds()]).toEqual([["a", "b", "c"], []]);
  expect(list.state().failure).toBe("The screenshot was not deleted. Not reached.");
});

test("a screenshot that was deleted elsewhere stays deleted", async () => {
  const { list, ids, deletedIds } = createList([GONE]);
  await list.delete("a");
  expect([ids(), deletedIds(), list.state().failure]).toEqual([["b", "c"], [], ""]);
});

test("an undo that fails can be repeated; one that is too late cannot", async () => {
  const { list, ids, deletedIds } = createList([DONE, OFFLINE, DONE, DONE, GONE]);
  await list.delete("a");
  await list.undo();
  expect([ids(), deletedIds()]).toEqual([["b", "c"], ["a"]]);
  expect(list.state().failure).toBe("The screenshot was not restored. Not reached.");
  await list.undo();
  expect([ids(), list.state().failure]).toEqual([["a", "b", "c"], ""]);
  await list.delete("a");
  await list.undo();
  expect([ids(), deletedIds()]).toEqual([["b", "c"], []]);
});

test("an upload adds its own screenshot only, once, so that a deletion meanwhile is kept", async () => {
  const { list, ids } = createList();
  await list.delete("b");
  const added = screenshot("d", 4);
  list.add(entryWith([A, B, C, added]), "d");
  list.add(entryWith([A, B, C, added]), "d");
  expect(ids()).toEqual(["a", "c", "d"]);
});

test("a dismissed deletion cannot be undone", async () => {
  const { list, requests } = createList();
  await list.delete("b");
  list.dismiss();
  await list.undo();
  expect(requests).toEqual(["delete b"]);
});
