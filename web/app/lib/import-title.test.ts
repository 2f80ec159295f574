import { describe, expect, it } from "vitest";
import { importTitle } from "#lib/import-title.ts";

const NONE = { added: 0, duplicates: 0, corrected: 0, conflictTotal: 0, rejectedTotal: 0 };

describe("importTitle", () => {
  it.each([
    [412, 264, 4, "412 trades added, 264 were already there, 4 rows were skipped"],
    [1, 1, 1, "1 trade added, 1 was already there, 1 row was skipped"],
    [1518, 0, 0, "1,518 trades added"],
    [0, 264, 0, "No trades added, 264 were already there"],
    [0, 0, 3, "No trades added, 3 rows were skipped"],
    [0, 0, 0, "No trades added"],
  ])("%i new, %i duplicates, %i rejected", (added, duplicates, rejectedTotal, title) => {
    expect(importTitle({ ...NONE, added, duplicates, rejectedTotal })).toBe(title);
  });

  it("counts corrections and conflicts apart from unchanged trades", () => {
    expect(importTitle({ ...NONE, duplicates: 40, corrected: 1, conflictTotal: 2 })).toBe(
      "No trades added, 1 was corrected, 37 were already there, 2 conflicts were left open",
    );
    expect(importTitle({ ...NONE, duplicates: 1, conflictTotal: 1 })).toBe(
      "No trades added, 1 conflict was left open",
    );
  });
});
