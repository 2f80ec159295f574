import { expect, it } from "vitest";
import type { FileState, ImportItem } from "#features/import/import-item.ts";
import { brokenOff, underWay } from "#features/import/leave-words.ts";
import { UNDECIDED } from "#features/import/preview.ts";
import { aPreview } from "#features/import/preview-fixture.ts";

function item(name: string, state: FileState): ImportItem {
  const book = { broker: "zerodha", tradetype: "equity" } as const;
  const before = { file: undefined, previewId: undefined, preview: undefined, choices: UNDECIDED };
  return { id: 1, name, book, state, ...before };
}

const done = item("done.csv", { phase: "done", report: { ...aPreview, changeId: "1", corrected: 0 } });
const looked = item("looked.csv", { phase: "review", changed: false });
const storing = item("a.csv", { phase: "storing" });
const sending = item("b.csv", { phase: "sending", share: 0.4 });
const waiting = item("c.csv", { phase: "waiting" });

it("names what is under way, and nothing that is in or waits for the trader", () => {
  expect(underWay([done, storing, sending, waiting, looked])).toBe("a.csv, b.csv, c.csv");
});

it("says what is not in, and what nobody knows of", () => {
  expect(brokenOff([done, storing, sending, waiting])).toEqual({
    title: "The import was broken off.",
    text: "Not imported: b.csv, c.csv. a.csv may still be completed; the Trade Log shows it. Sending it again is safe: the same file twice adds nothing.",
  });
  expect(brokenOff([sending])?.text).toMatch(/^Not imported: b\.csv\. Sending/);
  expect(brokenOff([storing])?.text).toMatch(/^a\.csv may still be completed;/);
});

it("has nothing to say where all was done by then", () => {
  expect(brokenOff([done, looked])).toBeUndefined();
});
