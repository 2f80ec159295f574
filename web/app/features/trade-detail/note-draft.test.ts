import { beforeEach, expect, it, vi } from "vitest";
import { deleteDraft, readDraft, saveDraft } from "#features/trade-detail/note-draft.ts";

const ASHA = "asha@example.in";
const storage = new Map<string, string>();

beforeEach(() => {
  storage.clear();
  const sessionStorage = {
    getItem: (key: string) => storage.get(key) ?? null,
    setItem: (key: string, value: string) => storage.set(key, value),
    removeItem: (key: string) => storage.delete(key),
  };
  vi.stubGlobal("window", { sessionStorage });
});

it("stores a draft for each trade until it is deleted", () => {
  saveDraft(ASHA, "7", { notes: "Broke out", stopLoss: "12,5" });
  saveDraft(ASHA, "8", { psychology: "" });
  const draft = readDraft(ASHA, "7");
  expect(draft).toEqual({ notes: "Broke out", stopLoss: "12,5" });
  deleteDraft(ASHA, "7", draft);
  expect(readDraft(ASHA, "7")).toEqual({});
  expect(readDraft(ASHA, "8")).toEqual({ psychology: "" });
});

it("does not delete a draft that changed in the meantime", () => {
  saveDraft(ASHA, "7", { notes: "Broke out" });
  saveDraft(ASHA, "7", { notes: "Broke out", psychology: "Calm" });
  deleteDraft(ASHA, "7", { notes: "Broke out" });
  expect(readDraft(ASHA, "7")).toEqual({ notes: "Broke out", psychology: "Calm" });
});

it("does not return the draft of another account, whose trades have the same ids", () => {
  saveDraft(ASHA, "7", { notes: "Broke out" });
  expect(readDraft("ravi@example.in", "7")).toEqual({});
});

it.each([
  "",
  "junk",
  "null",
  JSON.stringify({ email: ASHA }),
  JSON.stringify({ email: ASHA, draft: { notes: 1, x: "y" } }),
])("ignores the invalid value %s", (text) => {
  storage.set("notes 7", text);
  expect(readDraft(ASHA, "7")).toEqual({});
});
