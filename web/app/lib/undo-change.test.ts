import { expect, it } from "vitest";
import { undoneText } from "#lib/undo-change.ts";

it.each([
  [0, 1, "1 trade restored."],
  [2, 0, "2 trades removed."],
  [1, 1_250, "1,250 trades restored, 1 removed."],
  [0, 0, "The trades are the same as before."],
])("%i removed and %i restored: %j", (removed, restored, text) => {
  expect(undoneText({ removed, restored })).toBe(text);
});
