import { expect, test } from "vitest";
import { pastedPictures } from "#features/trader-journal/screenshots/pasted-pictures.ts";

const chart = new File(["x"], "image.png", { type: "image/png" });
const sheet = new File(["x"], "trades.csv", { type: "text/csv" });

test.each([
  ["a picture in a text field", ["Files"], [chart], true, [chart]],
  ["a picture of a web page in a text field", ["text/html", "Files"], [chart], true, [chart]],
  ["cells with their picture in a text field", ["text/plain", "text/html", "Files"], [chart], true, []],
  ["cells with their picture elsewhere", ["text/plain", "Files"], [chart], false, [chart]],
  ["text", ["text/plain"], [], true, []],
  ["another file", ["Files"], [sheet], false, []],
])("%s", (_, types, files, isTextField, expected) => {
  expect(pastedPictures({ types, files }, isTextField)).toEqual(expected);
});
