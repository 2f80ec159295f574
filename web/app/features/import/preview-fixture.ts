import type { Preview } from "#features/import/preview.ts";

/** Preview of a file of 40 trades without issues, for tests. */
export const aPreview: Preview = {
  id: "p1",
  expiresAt: "2025-06-20T10:00:00Z",
  state: "s1",
  fileName: "tradebook.csv",
  sha256: "0".repeat(64),
  format: "zerodha-tradebook",
  formatTitle: "Zerodha tradebook",
  broker: "zerodha",
  tradetype: "equity",
  rows: 40,
  skipped: 0,
  added: 40,
  duplicates: 0,
  conflicts: [],
  conflictTotal: 0,
  rejected: [],
  rejectedTotal: 0,
  warnings: [],
  warningTotal: 0,
  oddTotal: 0,
  otherSegmentRows: 0,
  contractNotes: 0,
  daysWithCharges: 0,
  sample: [],
  from: "2025-04-01T03:45:00Z",
  to: "2025-06-20T09:17:00Z",
};

export function warning(code: string): Preview["warnings"][number] {
  return { row: 9, column: "J", value: "6.71", code, message: "Look at this.", sheet: "Equity" };
}
