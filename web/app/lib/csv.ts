import { saveFile } from "#lib/save-file.ts";

/** What a spreadsheet would take for a formula, also after a form of the character that it folds to ASCII. */
const FORMULA = /^[=+\-@\t\r\n\0\uff1d\uff0b\uff0d\uff20]/;

export type Cell = string | number;

/** RFC 4180. Text that would start a formula gets a leading '; numbers stay numbers. */
export function toCsv(rows: readonly (readonly Cell[])[]): string {
  return rows.map((row) => `${row.map(field).join(",")}\r\n`).join("");
}

function field(cell: Cell): string {
  if (typeof cell === "number") return String(cell);
  const text = FORMULA.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Hands a CSV to the browser as a download. The mark in front tells spreadsheets that it is UTF-8. */
export function downloadCsv(fileName: string, csv: string): void {
  saveFile(fileName, new Blob(["\ufeff", csv], { type: "text/csv;charset=utf-8" }));
}
