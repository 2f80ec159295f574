import { describe, expect, it } from "vitest";
import {
  type Choices,
  countDecisions,
  hasNoNewIssues,
  listedChoices,
  needsReview,
  type Preview,
  parseChoices,
} from "#features/import/preview.ts";
import { aPreview } from "#features/import/preview-fixture.ts";
import {
  addedText,
  checkedText,
  fileDescription,
  importLabel,
  restText,
  reviewTotals,
} from "#features/import/preview-text.ts";

describe("needsReview", () => {
  it.each<[string, Partial<Preview>, boolean]>([
    ["a clean file", {}, false],
    ["nothing new", { added: 0, duplicates: 40 }, false],
    ["a skipped row", { rejectedTotal: 1 }, true],
    ["a conflict", { conflictTotal: 1 }, true],
    ["common warnings", { warningTotal: 2, skipped: 1 }, false],
    ["an unusual trade", { warningTotal: 1, oddTotal: 1 }, true],
    ["the first client code", { accountMatch: "newCode" }, false],
    ["a client code beside others", { accountMatch: "otherCodes" }, true],
  ])("%s: %j → %s", (_, change, expected) => {
    expect(needsReview({ ...aPreview, ...change })).toBe(expected);
  });
});

it("requires another review only for new issues", () => {
  const before = { ...aPreview, rejectedTotal: 2, conflictTotal: 1 };
  const fewer: Preview = { ...before, added: 0, duplicates: 40 };
  const odder: Preview = { ...before, warningTotal: 1, oddTotal: 1 };
  expect(hasNoNewIssues(before, fewer)).toBe(true);
  expect(hasNoNewIssues(before, { ...before, conflictTotal: 2 })).toBe(false);
  expect(hasNoNewIssues(before, odder)).toBe(false);
  const moved: Preview = { ...before, brokerAccount: 2, accountMatch: "otherCodes" };
  expect(hasNoNewIssues(before, moved)).toBe(false);
  expect(hasNoNewIssues(moved, moved)).toBe(true);
});

describe("conflicts", () => {
  const preview = { ...aPreview, conflicts: ["a", "b", "c"].map(conflict), conflictTotal: 5 };
  it.each<[Choices, object]>([
    [{ byId: {} }, { keep: 0, take: 0, undecided: 5 }],
    [{ byId: { a: "take", b: "keep" } }, { keep: 1, take: 1, undecided: 3 }],
    [
      { byId: { a: "keep" }, others: "take" },
      { keep: 1, take: 4, undecided: 0 },
    ],
  ])("counts the decisions of %j as %j", (choices, counts) => {
    expect(countDecisions(preview, choices)).toEqual(counts);
  });

  it("sends only choices for conflicts of the preview", () => {
    expect(listedChoices(preview, { byId: { a: "take", removed: "keep" }, others: "keep" })).toEqual({
      a: "take",
    });
  });

  function conflict(id: string) {
    const values = { type: "buy", quantity: 1, price: 2, value: 2 } as const;
    const trade = {
      ...values,
      _id: id,
      symbol: "INFY",
      timestamp: "2025-04-01T03:45:00Z",
      timePrecision: "second",
      broker: "zerodha",
      tradetype: "equity",
      exchange: "NSE",
    } as const;
    return { id, row: 7, trade, before: values, now: { ...values, price: 3 } };
  }
});

it("ignores invalid stored choices", () => {
  expect(parseChoices(null)).toEqual({ byId: {} });
  expect(parseChoices({ byId: { a: "take", b: "drop" }, others: 1 })).toEqual({ byId: { a: "take" } });
  expect(parseChoices({ byId: 3, others: "keep" })).toEqual({ byId: {}, others: "keep" });
});

it("describes the counts of a checked file", () => {
  expect(checkedText(aPreview)).toBe("40 new");
  expect(checkedText({ ...aPreview, added: 825, duplicates: 266, conflictTotal: 2, rejectedTotal: 4 })).toBe(
    "825 new, 264 already there, 2 conflicts, 4 skipped",
  );
});

it("describes a file", () => {
  expect(fileDescription(aPreview)).toBe(
    "Zerodha tradebook · Zerodha, Equity · 1 Apr to 20 Jun 2025 · 40 rows",
  );
  expect(fileDescription({ ...aPreview, from: null, to: null, rows: 1 })).toBe(
    "Zerodha tradebook · Zerodha, Equity · 1 row",
  );
});

describe("texts for all files together", () => {
  const one = { preview: { ...aPreview, added: 825, duplicates: 266, conflictTotal: 2, rejectedTotal: 4 } };
  const two = { preview: { ...aPreview, added: 8, duplicates: 0 } };

  it("adds up", () => {
    const sum = reviewTotals([
      { ...one, choices: { byId: {}, others: "take" } },
      { ...two, choices: { byId: {} } },
      { preview: undefined, choices: { byId: {} } },
    ]);
    expect(sum).toEqual({
      added: 833,
      existing: 264,
      skipped: 4,
      keep: 0,
      take: 2,
      undecided: 0,
      notes: 0,
      chargeDays: 0,
    });
    expect(addedText(sum)).toBe("833 trades will be imported.");
    expect(restText(sum)).toBe("264 are already there, 4 rows are skipped, 2 use the broker's values.");
    expect(importLabel(sum)).toBe("Import 833 trades");
  });

  const none = { added: 0, existing: 0, skipped: 0, keep: 0, take: 0, undecided: 0, notes: 0, chargeDays: 0 };
  it.each([
    [none, "No new trades.", "", "Finish"],
    [
      { ...none, added: 1, existing: 1, skipped: 1 },
      "1 trade will be imported.",
      "1 is already there, 1 row is skipped.",
      "Import 1 trade",
    ],
    [
      { ...none, existing: 12, notes: 2 },
      "No new trades. Charges come from 2 contract notes.",
      "12 are already there.",
      "Use charges",
    ],
    [
      { ...none, existing: 12, chargeDays: 1 },
      "No new trades. The tradebook states the charges of 1 day.",
      "12 are already there.",
      "Use charges",
    ],
    [{ ...none, take: 1 }, "No new trades.", "1 uses the broker's values.", "Correct 1 trade"],
    [{ ...none, undecided: 1 }, "No new trades.", "1 is not decided and stays as it is.", "Finish"],
    [
      { ...none, keep: 2, undecided: 3 },
      "No new trades.",
      "2 stay as they are, 3 are not decided and stay as they are.",
      "Finish",
    ],
  ])("%j", (sum, first, rest, button) => {
    expect(addedText(sum)).toBe(first);
    expect(restText(sum)).toBe(rest);
    expect(importLabel(sum)).toBe(button);
  });
});
