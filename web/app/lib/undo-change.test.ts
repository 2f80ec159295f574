import { expect, it } from "vitest";
import { undoneWords } from "#lib/undo-change.ts";

it.each([
  [0, 1, "1 trade came back."],
  [2, 0, "2 trades went."],
  [1, 1_250, "1,250 trades came back, 1 went."],
  [0, 0, "The trades are the same as before."],
])("%i gone and %i restored reads %j", (removed, restored, words) => {
  expect(undoneWords({ removed, restored })).toBe(words);
});
