import { expect, it } from "vitest";
import { NO_FILE, refusals } from "#features/import/file-rules.ts";
import { MAX_FILE, refusal, TOO_LARGE, WRONG_KIND } from "#lib/sheet-file.ts";

it("[5X-01] [8E-19] asks for a file in the words of the specification", () => {
  expect(NO_FILE).toBe("Please upload an Excel sheet before submitting.");
});

it.each(["tradebook.xlsx", "OLD.XLS", "trade.book.csv"])("takes %s", (name) => {
  expect(refusal({ name, size: 1 })).toBeUndefined();
});

it.each(["tradebook.pdf", "csv", "tradebook.xlsm", "a.csv.exe"])("does not take %s", (name) => {
  expect(refusal({ name, size: 1 })).toBe(WRONG_KIND);
});

it("takes 32 MiB and not a byte more", () => {
  expect(refusal({ name: "a.csv", size: MAX_FILE })).toBeUndefined();
  expect(refusal({ name: "a.csv", size: MAX_FILE + 1 })).toBe(TOO_LARGE);
});

it("says which of many is meant", () => {
  const good = { name: "a.csv", size: 1 };
  const bad = { name: "b.pdf", size: 1 };
  expect(refusals([good, good])).toBeUndefined();
  expect(refusals([bad])).toBe(WRONG_KIND);
  expect(refusals([good, bad, { name: "c.csv", size: MAX_FILE + 1 }])).toBe(
    `b.pdf: ${WRONG_KIND} c.csv: ${TOO_LARGE}`,
  );
});
