import { describe, expect, test } from "vitest";
import { contentOf, isSameContent, keepBoth, mergeContent } from "#features/trader-journal/journal-entry.ts";

const base = contentOf({ note: "One.", plan: "Wait.", tags: ["expiry"] });

describe("merging an edit with a version of another tab", () => {
  test("edits of different fields are joined", () => {
    const edited = contentOf({ ...base, note: "Two." });
    const stored = contentOf({ ...base, plan: "Wait until 10.", rating: 4 });
    expect(mergeContent(base, edited, stored)).toEqual(
      contentOf({ ...base, note: "Two.", plan: "Wait until 10.", rating: 4 }),
    );
  });

  test("different edits of one field are a conflict, equal ones are none", () => {
    const edited = contentOf({ ...base, note: "Two." });
    expect(mergeContent(base, edited, contentOf({ ...base, note: "Three." }))).toBeUndefined();
    expect(mergeContent(base, edited, edited)).toEqual(edited);
  });
});

test("keeping both versions loses no word and no label", () => {
  const stored = contentOf({ note: "From the phone.", plan: "Wait.", tags: ["gap-up"] });
  const edited = contentOf({ note: "From the desk.", plan: "Wait.", tags: ["Gap-Up", "fomo"], rating: 2 });
  const both = keepBoth(stored, edited);
  expect(both).toMatchObject({
    note: "From the phone.\n\nFrom the desk.",
    plan: "Wait.",
    tags: ["gap-up", "fomo"],
    rating: 2,
  });
});

test("missing fields of an entry are empty", () => {
  expect(isSameContent(contentOf(null), contentOf({}))).toBe(true);
  expect(contentOf({ note: "One." })).toMatchObject({ note: "One.", rating: 0, tags: [] });
});
