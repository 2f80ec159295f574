import { describe, expect, it } from "vitest";
import {
  type Choices,
  decided,
  namedChoices,
  needsReview,
  type Preview,
  sameDoubts,
  toChoices,
} from "#features/import/preview.ts";
import { aPreview } from "#features/import/preview-fixture.ts";
import {
  checkedWords,
  goesIn,
  importWord,
  previewSource,
  staysOut,
  sumOf,
} from "#features/import/preview-words.ts";

describe("needsReview", () => {
  it.each<[string, Partial<Preview>, boolean]>([
    ["a clean file", {}, false],
    ["nothing new", { added: 0, duplicates: 40 }, false],
    ["a row that is no trade", { rejectedTotal: 1 }, true],
    ["a conflict", { conflictTotal: 1 }, true],
    ["what is so with nearly every file", { warningTotal: 2, skipped: 1 }, false],
    ["an odd trade", { warningTotal: 1, oddTotal: 1 }, true],
  ])("%s: %j → %s", (_, change, held) => {
    expect(needsReview({ ...aPreview, ...change })).toBe(held);
  });
});

it("asks again for new doubts alone", () => {
  const before = { ...aPreview, rejectedTotal: 2, conflictTotal: 1 };
  const fewer: Preview = { ...before, added: 0, duplicates: 40 };
  const odder: Preview = { ...before, warningTotal: 1, oddTotal: 1 };
  expect(sameDoubts(before, fewer)).toBe(true);
  expect(sameDoubts(before, { ...before, conflictTotal: 2 })).toBe(false);
  expect(sameDoubts(before, odder)).toBe(false);
});

describe("conflicts", () => {
  const preview = { ...aPreview, conflicts: ["a", "b", "c"].map(conflict), conflictTotal: 5 };
  it.each<[Choices, object]>([
    [{ one: {} }, { keep: 0, take: 0, open: 5 }],
    [{ one: { a: "take", b: "keep" } }, { keep: 1, take: 1, open: 3 }],
    [
      { one: { a: "keep" }, others: "take" },
      { keep: 1, take: 4, open: 0 },
    ],
  ])("%j decides %j", (choices, sums) => {
    expect(decided(preview, choices)).toEqual(sums);
  });

  it("names only what is still asked for", () => {
    expect(namedChoices(preview, { one: { a: "take", gone: "keep" }, others: "keep" })).toEqual({
      a: "take",
    });
  });

  function conflict(id: string) {
    const told = { type: "buy", quantity: 1, price: 2, value: 2 } as const;
    const trade = {
      ...told,
      _id: id,
      symbol: "INFY",
      timestamp: "2025-04-01T03:45:00Z",
      timePrecision: "second",
      broker: "zerodha",
      tradetype: "equity",
      exchange: "NSE",
    } as const;
    return { id, row: 7, trade, before: told, now: { ...told, price: 3 } };
  }
});

it("takes nothing from a storage but choices", () => {
  expect(toChoices(null)).toEqual({ one: {} });
  expect(toChoices({ one: { a: "take", b: "drop" }, others: 1 })).toEqual({ one: { a: "take" } });
  expect(toChoices({ one: 3, others: "keep" })).toEqual({ one: {}, others: "keep" });
});

it("says in a line what was found", () => {
  expect(checkedWords(aPreview)).toBe("40 new");
  expect(checkedWords({ ...aPreview, added: 825, duplicates: 266, conflictTotal: 2, rejectedTotal: 4 })).toBe(
    "825 new, 264 already there, 2 conflicts, 4 left out",
  );
});

it("says what a file is", () => {
  expect(previewSource(aPreview)).toBe(
    "Zerodha tradebook · Zerodha, Equity · 1 Apr to 20 Jun 2025 · 40 rows",
  );
  expect(previewSource({ ...aPreview, from: null, to: null, rows: 1 })).toBe(
    "Zerodha tradebook · Zerodha, Equity · 1 row",
  );
});

describe("words for all files together", () => {
  const one = { preview: { ...aPreview, added: 825, duplicates: 266, conflictTotal: 2, rejectedTotal: 4 } };
  const two = { preview: { ...aPreview, added: 8, duplicates: 0 } };

  it("adds up", () => {
    const sum = sumOf([
      { ...one, choices: { one: {}, others: "take" } },
      { ...two, choices: { one: {} } },
      { preview: undefined, choices: { one: {} } },
    ]);
    expect(sum).toEqual({ added: 833, there: 264, left: 4, keep: 0, take: 2, open: 0 });
    expect(goesIn(sum)).toBe("833 trades go in.");
    expect(staysOut(sum)).toBe("264 are already there, 4 rows stay out, 2 take the broker's figures.");
    expect(importWord(sum)).toBe("Import 833 trades");
  });

  const none = { added: 0, there: 0, left: 0, keep: 0, take: 0, open: 0 };
  it.each([
    [none, "No trade is new.", "", "Finish"],
    [
      { ...none, added: 1, there: 1, left: 1 },
      "1 trade goes in.",
      "1 is already there, 1 row stays out.",
      "Import 1 trade",
    ],
    [{ ...none, take: 1 }, "No trade is new.", "1 takes the broker's figures.", "Correct 1 trade"],
    [{ ...none, open: 1 }, "No trade is new.", "1 is not decided and stays as it is.", "Finish"],
    [
      { ...none, keep: 2, open: 3 },
      "No trade is new.",
      "2 stay as they are, 3 are not decided and stay as they are.",
      "Finish",
    ],
  ])("%j", (sum, first, rest, button) => {
    expect(goesIn(sum)).toBe(first);
    expect(staysOut(sum)).toBe(rest);
    expect(importWord(sum)).toBe(button);
  });
});
