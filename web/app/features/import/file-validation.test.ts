import { expect, it } from "vitest";
import { fileErrors, NO_FILE } from "#features/import/file-validation.ts";
import {
  checkTradeFile,
  MAX_PDF_BYTES,
  MAX_UPLOAD_BYTES,
  PDF_TOO_LARGE,
  TOO_LARGE,
  WRONG_TRADE_FILE_KIND,
} from "#lib/sheet-file.ts";

it("[5X-01] [8E-19] asks for a file with the text of the specification", () => {
  expect(NO_FILE).toBe("Please upload an Excel sheet before submitting.");
});

it.each(["tradebook.xlsx", "OLD.XLS", "trade.book.csv", "Contract Note.PDF"])("accepts %s", (name) => {
  expect(checkTradeFile({ name, size: 1 })).toBeUndefined();
});

it.each(["tradebook.docx", "csv", "tradebook.xlsm", "a.csv.exe"])("rejects %s", (name) => {
  expect(checkTradeFile({ name, size: 1 })).toBe(WRONG_TRADE_FILE_KIND);
});

it("accepts 8 MiB of a PDF and rejects one more byte", () => {
  expect(checkTradeFile({ name: "a.pdf", size: MAX_PDF_BYTES })).toBeUndefined();
  expect(checkTradeFile({ name: "a.pdf", size: MAX_PDF_BYTES + 1 })).toBe(PDF_TOO_LARGE);
});

it("accepts 32 MiB and rejects one more byte", () => {
  expect(checkTradeFile({ name: "a.csv", size: MAX_UPLOAD_BYTES })).toBeUndefined();
  expect(checkTradeFile({ name: "a.csv", size: MAX_UPLOAD_BYTES + 1 })).toBe(TOO_LARGE);
});

it("names the rejected files if several were chosen", () => {
  const good = { name: "a.csv", size: 1 };
  const bad = { name: "b.docx", size: 1 };
  expect(fileErrors([good, good])).toBeUndefined();
  expect(fileErrors([bad])).toBe(WRONG_TRADE_FILE_KIND);
  expect(fileErrors([good, bad, { name: "c.csv", size: MAX_UPLOAD_BYTES + 1 }])).toBe(
    `b.docx: ${WRONG_TRADE_FILE_KIND} c.csv: ${TOO_LARGE}`,
  );
});
