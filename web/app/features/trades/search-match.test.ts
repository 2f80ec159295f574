import { expect, it } from "vitest";
import { findExcerpt, searchPatterns } from "#features/trades/search-match.ts";

const find = (search: string, notes: string) => findExcerpt({ notes }, searchPatterns(search));

it.each([
  ["chas", "Chased the open.", "Chased the open."],
  ["OPEN", "Chased\nthe  open.\nSold", "… open. Sold"],
  ["#fomo", "Late. #fomo-2, then #FOMO.", "… #FOMO."],
  ["fomo", "Late. #fomo", "… #fomo"],
  ["gap-up", "Bought the Gap up", "… Gap up"],
  ["infy late", "Late again", "Late again"],
  ["घाट", "हुआ घाटा", "… घाटा"],
])("shows where %s is found in %j", (search, notes, excerpt) => {
  expect(find(search, notes)).toBe(excerpt);
});

it.each([
  ["ased", "Chased"],
  ["#fo", "#fomo"],
  ["fomo-x", "fomo"],
  ["%", "50%"],
  ["", "Late"],
  ["(", "(late"],
])("finds no %j in %j", (search, notes) => {
  expect(find(search, notes)).toBeUndefined();
});

it("searches all texts of a trade", () => {
  const patterns = searchPatterns("calm");
  expect(findExcerpt({ notes: "Late", psychology: "Calm" }, patterns)).toBe("Calm");
  expect(findExcerpt({ stockName: "Calm Ltd" }, patterns)).toBe("Calm Ltd");
  expect(findExcerpt({}, patterns)).toBeUndefined();
});
