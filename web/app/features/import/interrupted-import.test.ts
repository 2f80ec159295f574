import { expect, it } from "vitest";
import type { FileState, ImportItem } from "#features/import/import-item.ts";
import { interruptedText, unfinishedFiles } from "#features/import/interrupted-import.ts";
import { NO_CHOICES } from "#features/import/preview.ts";
import { aPreview } from "#features/import/preview-fixture.ts";

function item(name: string, state: FileState): ImportItem {
  const book = { broker: "zerodha", tradetype: "equity" } as const;
  const before = {
    file: undefined,
    previewId: undefined,
    preview: undefined,
    detected: undefined,
    account: undefined,
    approved: false,
    choices: NO_CHOICES,
    selection: {},
    isOtherPart: false,
  };
  return { id: 1, name, book, state, ...before };
}

const done = item("done.csv", { phase: "done", report: { ...aPreview, changeId: "1", corrected: 0 } });
const reviewed = item("reviewed.csv", { phase: "review", changed: false });
const storing = item("a.csv", { phase: "storing" });
const sending = item("b.csv", { phase: "sending", share: 0.4 });
const waiting = item("c.csv", { phase: "waiting" });

it("names files in the queue, but not imported files or files to review", () => {
  expect(unfinishedFiles([done, storing, sending, waiting, reviewed])).toBe("a.csv, b.csv, c.csv");
});

it("names the files that were not imported, and those with an unknown outcome", () => {
  expect(interruptedText([done, storing, sending, waiting])).toEqual({
    title: "The import was stopped.",
    text: "Not imported: b.csv, c.csv. a.csv may still complete; check the Trade Log. You can import it again: no trade is added twice.",
  });
  expect(interruptedText([sending])?.text).toMatch(/^Not imported: b\.csv\. You can/);
  expect(interruptedText([storing])?.text).toMatch(/^a\.csv may still complete;/);
});

it("returns nothing if all files were imported", () => {
  expect(interruptedText([done, reviewed])).toBeUndefined();
});
