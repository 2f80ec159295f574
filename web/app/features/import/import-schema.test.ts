import * as v from "valibot";
import { expect, it } from "vitest";
import { importSchema, MAX_FILE, NO_FILE, TOO_LARGE, WRONG_KIND } from "#features/import/import-schema.ts";

const CHOICE = { broker: "zerodha", tradetype: "equity", entry: "excel" };

function refusal(file: unknown): string | undefined {
  return v.safeParse(importSchema, { ...CHOICE, file }).issues?.[0].message;
}

function sized(bytes: number): File {
  const file = new File(["x"], "tradebook.csv");
  Object.defineProperty(file, "size", { value: bytes });
  return file;
}

it("[5X-01] [8E-19] asks for a file", () => {
  expect(refusal(undefined)).toBe(NO_FILE);
  expect(NO_FILE).toBe("Please upload an Excel sheet before submitting.");
});

it.each(["tradebook.xlsx", "OLD.XLS", "trade.book.csv"])("takes %s", (name) => {
  expect(refusal(new File(["x"], name))).toBeUndefined();
});

it.each(["tradebook.pdf", "csv", "tradebook.xlsm", "a.csv.exe"])("does not take %s", (name) => {
  expect(refusal(new File(["x"], name))).toBe(WRONG_KIND);
});

it("takes 32 MiB and not a byte more", () => {
  expect(refusal(sized(MAX_FILE))).toBeUndefined();
  expect(refusal(sized(MAX_FILE + 1))).toBe(TOO_LARGE);
});
