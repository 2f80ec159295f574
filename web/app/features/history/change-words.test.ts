import { expect, it } from "vitest";
import { changeTitle, kindWord, newerWords } from "#features/history/change-words.ts";

it.each([
  [
    { kind: "import", added: 412, removed: 0, import: { fileName: "a.csv", duplicates: 264 } },
    "412 trades added, 264 were already there",
  ],
  [
    { kind: "import", added: 0, removed: 0, import: { fileName: "a.csv", duplicates: 1 } },
    "No trades added, 1 was already there",
  ],
  [{ kind: "entry", added: 2, removed: 0, symbol: "INFY" }, "2 trades of INFY added"],
  [{ kind: "replace", added: 2, removed: 1_280 }, "1,280 trades replaced by 2"],
  [{ kind: "replace", added: 2, removed: 0 }, "2 trades added"],
  [{ kind: "edit", added: 1, removed: 1, symbol: "M&M" }, "1 trade of M&M edited"],
  [{ kind: "edit", added: 0, removed: 0, symbol: "M&M" }, "1 trade of M&M edited"],
  [{ kind: "delete", added: 0, removed: 2 }, "2 trades deleted"],
] as const)("%j reads %j", (change, title) => {
  expect(changeTitle(change)).toBe(title);
});

it("calls the first entry of an empty book what it is", () => {
  expect(kindWord({ kind: "replace", removed: 0 })).toBe("Entry");
  expect(kindWord({ kind: "replace", removed: 40 })).toBe("Replace");
});

it("says what else an undo takes back", () => {
  expect(newerWords(0)).toBe("");
  expect(newerWords(1)).toBe("This also undoes 1 newer change of this book.");
  expect(newerWords(3)).toBe("This also undoes 3 newer changes of this book.");
});
