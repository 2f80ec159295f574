import { expect, test } from "vitest";
import { getWordCount } from "./motivation-field.tsx";

test.each([
  ["", 0],
  ["  \n ", 0],
  ["one", 1],
  ["I keep books - and read them.", 6],
  ["मैं किताबें रखता हूँ", 4],
])("%j has %i words", (text, expected) => {
  expect(getWordCount(text)).toBe(expected);
});
