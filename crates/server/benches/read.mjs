// Reads a workbook with a peer library: `read.mjs PEER FILE`. Prints rows, quantity, value, seconds and peak memory.
// The time includes reading only, not the start of Node and the loading of the library.

import { readFileSync } from "node:fs";

const HEADER_ROW = 15;
const QUANTITY = 9;
const PRICE = 10;

async function exceljs() {
  const { default: ExcelJS } = await import("exceljs");
  return async (path) => {
    const sum = { rows: 0, quantity: 0, value: 0 };
    const book = new ExcelJS.stream.xlsx.WorkbookReader(path, { sharedStrings: "cache", worksheets: "emit" });
    for await (const sheet of book) {
      for await (const row of sheet) {
        if (row.number > HEADER_ROW) add(sum, row.getCell(QUANTITY + 1).value, row.getCell(PRICE + 1).value);
      }
    }
    return sum;
  };
}

async function sheetjs() {
  const { default: XLSX } = await import("xlsx");
  return async (path) => {
    const sum = { rows: 0, quantity: 0, value: 0 };
    const book = XLSX.readFile(path, { dense: true });
    const rows = XLSX.utils.sheet_to_json(book.Sheets[book.SheetNames[0]], { header: 1, range: HEADER_ROW });
    for (const row of rows) add(sum, row[QUANTITY - 1], row[PRICE - 1]);
    return sum;
  };
}

function add(sum, quantity, price) {
  sum.rows += 1;
  sum.quantity += quantity;
  sum.value += quantity * price;
}

const [peer, path] = process.argv.slice(2);
const read = await { exceljs, sheetjs }[peer]();
const started = performance.now();
const sum = await read(path);
const seconds = (performance.now() - started) / 1000;
// From /proc, because the value of resourceUsage includes the parent process before exec.
const peak = Number(/VmHWM:\s*(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))[1]) * 1024;
console.log(JSON.stringify({ ...sum, seconds, peak }));
