import { expect, it } from "vitest";
import { changeTitle, importedFileText, kindLabel, newerChangesText } from "#features/history/change-text.ts";

const FILE = {
  id: "1",
  fileName: "a.csv",
  sha256: "0".repeat(64),
  format: "zerodha-tradebook",
  duplicates: 0,
  conflicts: 0,
  corrected: 0,
  warnings: 0,
  rejected: null,
  rows: null,
  durationMs: null,
  from: null,
  to: null,
};

it.each([
  [
    {
      kind: "import",
      added: 412,
      removed: 0,
      import: { ...FILE, duplicates: 267, corrected: 1, conflicts: 2, rejected: 4 },
    },
    "412 trades added, 1 was corrected, 264 were already there, 2 conflicts were left open, 4 rows were skipped",
  ],
  [
    { kind: "import", added: 0, removed: 0, import: { ...FILE, duplicates: 1 } },
    "No trades added, 1 was already there",
  ],
  [{ kind: "entry", added: 2, removed: 0, symbol: "INFY" }, "2 trades of INFY added"],
  [{ kind: "replace", added: 2, removed: 1_280 }, "1,280 trades replaced by 2"],
  [{ kind: "replace", added: 2, removed: 0 }, "2 trades added"],
  [{ kind: "edit", added: 1, removed: 1, symbol: "M&M" }, "1 trade of M&M edited"],
  [{ kind: "edit", added: 0, removed: 0, symbol: "M&M" }, "1 trade of M&M edited"],
  [{ kind: "delete", added: 0, removed: 2 }, "2 trades deleted"],
] as const)("describes %j as %j", (change, title) => {
  expect(changeTitle(change)).toBe(title);
});

it("names the replacement of an empty book an entry", () => {
  expect(kindLabel({ kind: "replace", removed: 0 })).toBe("Entry");
  expect(kindLabel({ kind: "replace", removed: 40 })).toBe("Replace");
});

it("states how many newer changes an undo includes", () => {
  expect(newerChangesText(0)).toBe("");
  expect(newerChangesText(1)).toBe("This also undoes 1 newer change.");
  expect(newerChangesText(3)).toBe("This also undoes 3 newer changes.");
});

it("describes an imported file by its known values", () => {
  expect(importedFileText({ rows: 680, warnings: 8, durationMs: 1_234 })).toBe(
    "680 rows, 8 warnings, imported in 1.2 seconds",
  );
  expect(importedFileText({ rows: 1, warnings: 0, durationMs: 66 })).toBe("1 row, imported in 0.07 seconds");
  expect(importedFileText({ rows: null, warnings: 0, durationMs: null })).toBe("");
});
