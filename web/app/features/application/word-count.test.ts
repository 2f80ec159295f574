import { expect, test } from "vitest";
import { wordCount } from "./word-count.ts";

test.each([
  ["", 0],
  ["  \n ", 0],
  ["one", 1],
  ["I keep books - and read them.", 6],
  ["मैं किताबें रखता हूँ", 4],
])("%j has %i words", (text, words) => {
  expect(wordCount(text)).toBe(words);
});
