import { saveFile } from "#lib/save-file.ts";

/** Characters at which a spreadsheet starts a formula, including the full-width forms that it converts to ASCII. */
const FORMULA_START = /^[=+\-@\t\r\n\0\uff1d\uff0b\uff0d\uff20]/;

export type Cell = string | number;

/** Formats rows as CSV (RFC 4180). Text that would start a formula gets a leading '; numbers stay numbers. */
export function toCsv(rows: readonly (readonly Cell[])[]): string {
  return rows.map((row) => `${row.map(formatCell).join(",")}\r\n`).join("");
}

function formatCell(cell: Cell): string {
  if (typeof cell === "number") return String(cell);
  const text = FORMULA_START.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Downloads a CSV file. The byte order mark tells spreadsheets that it is UTF-8. */
export function downloadCsv(fileName: string, csv: string): void {
  saveFile(fileName, new Blob(["\ufeff", csv], { type: "text/csv;charset=utf-8" }));
}
