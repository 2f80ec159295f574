import { expect, it } from "vitest";
import { reportDescription, reportTone, totalCounts } from "#features/import/report-text.ts";

const NONE = { added: 0, duplicates: 0, corrected: 0, conflictTotal: 0, rejectedTotal: 0 };

it("adds up several files", () => {
  const one = { ...NONE, added: 412, duplicates: 3, rejectedTotal: 1 };
  const two = { ...NONE, added: 8, duplicates: 2, corrected: 1, conflictTotal: 1 };
  expect(totalCounts([one, two])).toEqual({
    added: 420,
    duplicates: 5,
    corrected: 1,
    conflictTotal: 1,
    rejectedTotal: 1,
  });
});

it("describes the file with its period and book", () => {
  const report = {
    ...NONE,
    id: "i1",
    changeId: "1",
    fileName: "tradebook-ZX4821-EQ.xlsx",
    format: "zerodha-tradebook",
    formatTitle: "Zerodha tradebook",
    broker: "zerodha",
    tradetype: "fno",
    rows: 680,
    skipped: 0,
    rejected: [],
    warnings: [],
    warningTotal: 0,
    from: "2025-04-01T03:45:00Z",
    to: "2025-06-20T09:17:00Z",
  } as const;
  const lists = { rejected: [], warnings: [] };
  expect(reportDescription({ ...report, ...lists })).toBe(
    "tradebook-ZX4821-EQ.xlsx · 1 Apr to 20 Jun 2025 · Zerodha, Future & Option",
  );
  expect(reportDescription({ ...report, ...lists, from: null, to: null })).toBe(
    "tradebook-ZX4821-EQ.xlsx · Zerodha, Future & Option",
  );
});

it("chooses a tone for each outcome", () => {
  expect(reportTone({ ...NONE, added: 1 })).toBe("gain");
  expect(reportTone({ ...NONE, duplicates: 1, corrected: 1 })).toBe("gain");
  expect(reportTone({ ...NONE, added: 1, rejectedTotal: 1 })).toBe("warn");
  expect(reportTone({ ...NONE, added: 1, conflictTotal: 1 })).toBe("warn");
  expect(reportTone({ ...NONE, duplicates: 9 })).toBe("info");
});
