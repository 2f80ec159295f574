import { beforeEach, expect, it, vi } from "vitest";
import { forgetDraft, keepDraft, readDraft } from "#features/trade-detail/note-draft.ts";

const ASHA = "asha@example.in";
const kept = new Map<string, string>();

beforeEach(() => {
  kept.clear();
  const sessionStorage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
    removeItem: (key: string) => kept.delete(key),
  };
  vi.stubGlobal("window", { sessionStorage });
});

it("keeps what was written beside each trade, until it is stored", () => {
  keepDraft(ASHA, "7", { notes: "Broke out", stopLoss: "12,5" });
  keepDraft(ASHA, "8", { psychology: "" });
  const draft = readDraft(ASHA, "7");
  expect(draft).toEqual({ notes: "Broke out", stopLoss: "12,5" });
  forgetDraft(ASHA, "7", draft);
  expect(readDraft(ASHA, "7")).toEqual({});
  expect(readDraft(ASHA, "8")).toEqual({ psychology: "" });
});

it("keeps what was written while the rest was on its way", () => {
  keepDraft(ASHA, "7", { notes: "Broke out" });
  keepDraft(ASHA, "7", { notes: "Broke out", psychology: "Calm" });
  forgetDraft(ASHA, "7", { notes: "Broke out" });
  expect(readDraft(ASHA, "7")).toEqual({ notes: "Broke out", psychology: "Calm" });
});

it("shows nobody what another account wrote: each counts its trades from 1", () => {
  keepDraft(ASHA, "7", { notes: "Broke out" });
  expect(readDraft("ravi@example.in", "7")).toEqual({});
});

it.each([
  "",
  "junk",
  "null",
  JSON.stringify({ email: ASHA }),
  JSON.stringify({ email: ASHA, draft: { notes: 1, x: "y" } }),
])("has no draft in %s", (text) => {
  kept.set("notes 7", text);
  expect(readDraft(ASHA, "7")).toEqual({});
});
