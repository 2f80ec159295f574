import { describe, expect, it } from "vitest";
import { reportSource, reportTitle, reportTone } from "#features/import/report-words.ts";

describe("reportTitle", () => {
  it.each([
    [412, 264, 4, "412 trades added, 264 were already there, 4 rows were left out"],
    [1, 1, 1, "1 trade added, 1 was already there, 1 row was left out"],
    [1518, 0, 0, "1,518 trades added"],
    [0, 264, 0, "No trades added, 264 were already there"],
    [0, 0, 3, "No trades added, 3 rows were left out"],
    [0, 0, 0, "No trades added"],
  ])("%i new, %i old, %i refused", (added, duplicates, rejectedTotal, words) => {
    expect(reportTitle({ added, duplicates, rejectedTotal })).toBe(words);
  });
});

it("names the file, its period and the book", () => {
  const report = {
    id: "i1",
    changeId: "1",
    fileName: "tradebook-ZX4821-EQ.xlsx",
    format: "zerodha-tradebook",
    broker: "zerodha",
    tradetype: "fno",
    rows: 680,
    added: 412,
    duplicates: 264,
    rejected: [],
    rejectedTotal: 0,
    from: "2025-04-01T03:45:00Z",
    to: "2025-06-20T09:17:00Z",
  } as const;
  expect(reportSource({ ...report, rejected: [] })).toBe(
    "tradebook-ZX4821-EQ.xlsx · 1 Apr to 20 Jun 2025 · Zerodha, Future & Option",
  );
  expect(reportSource({ ...report, rejected: [], from: null, to: null })).toBe(
    "tradebook-ZX4821-EQ.xlsx · Zerodha, Future & Option",
  );
});

it("has a tone for each outcome", () => {
  expect(reportTone({ added: 1, duplicates: 0, rejectedTotal: 0 })).toBe("gain");
  expect(reportTone({ added: 1, duplicates: 0, rejectedTotal: 1 })).toBe("warn");
  expect(reportTone({ added: 0, duplicates: 9, rejectedTotal: 0 })).toBe("info");
});
