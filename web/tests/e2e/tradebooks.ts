import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";

export type Broker = "zerodha" | "groww";

/** Row counts of the files that the setup creates. A longer file contains all trades of a shorter one. */
export const ROWS = { few: 40, some: 60, many: 3_000 } as const;

export const FILES = [
  { broker: "zerodha", ending: "xlsx" },
  { broker: "zerodha", ending: "csv" },
  { broker: "zerodha", ending: "json" },
  { broker: "groww", ending: "xlsx" },
  { broker: "groww", ending: "json" },
] as const;

/** Returns the path of a generated tradebook. */
export function tradebookPath(
  broker: Broker,
  rows: number,
  ending: "xlsx" | "csv" | "json" = "xlsx",
): string {
  return join(process.env.E2E_FILES ?? "", `${broker}-${rows}.${ending}`);
}

/** Returns the path of Groww's F&O report: five pairs, one of which expired worthless, and an invalid row. */
export function growwFnoPath(): string {
  return join(process.env.E2E_FILES ?? "", "groww-fno.xlsx");
}

/** Returns the path of an .xls file of the import tests. */
export function xlsFixturePath(name: string): string {
  return resolve(import.meta.dirname, "../../../crates/import/src/tests/fixtures/xls", `${name}.xls`);
}

/** Returns the path of a PDF of the import tests. */
export function pdfFixturePath(name: string): string {
  return resolve(import.meta.dirname, "../../../crates/import/src/tests/fixtures/pdf", `${name}.pdf`);
}

/** A trade that the setup wrote to a file. */
export type FileTrade = {
  symbol: string;
  type: "buy" | "sell";
  quantity: number;
  /** Total value in paise. */
  paise: number;
  exchange: "NSE" | "BSE";
  /** With the offset of India. */
  timestamp: string;
};

/** Reads the trades of a generated file, newest first, from the list written with it. */
export async function readTradesOf(broker: Broker, rows: number): Promise<FileTrade[]> {
  const list: FileTrade[] = JSON.parse(await readFile(tradebookPath(broker, rows, "json"), "utf8"));
  return list.toSorted((a, b) => b.timestamp.localeCompare(a.timestamp));
}

/** Returns the price in rupees with four decimals. */
export function expectedPrice({ paise, quantity }: FileTrade): number {
  return Math.round((paise * 100) / quantity) / 10_000;
}

const BROKER_NAMES = { zerodha: "Zerodha", groww: "Groww" } as const;
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** Returns the expected row of the log, formatted without the code under test. */
export function expectedRow(trade: FileTrade, broker: Broker): string[] {
  return [
    trade.type === "buy" ? "BUY" : "SELL",
    trade.symbol,
    indianGrouping(trade.quantity),
    rupees(expectedPrice(trade)),
    indiaTime(trade.timestamp),
    BROKER_NAMES[broker],
  ];
}

function indianGrouping(whole: number): string {
  return String(whole).replace(/(?<=\d)(?=(\d\d)*\d{3}$)/g, ",");
}

function rupees(price: number): string {
  const paise = Math.round(Math.round(price * 10_000) / 100);
  return `₹${indianGrouping(Math.floor(paise / 100))}.${String(paise % 100).padStart(2, "0")}`;
}

/** 1 Jan 2024, 9:15 am */
function indiaTime(timestamp: string): string {
  const [date = "", time = ""] = timestamp.split("T");
  const [year, month, day] = date.split("-").map(Number);
  const [hour = 0, minute = 0] = time.split(":").map(Number);
  const clock = `${hour % 12 || 12}:${String(minute).padStart(2, "0")} ${hour < 12 ? "am" : "pm"}`;
  return `${day} ${MONTHS[(month ?? 0) - 1]} ${year}, ${clock}`;
}
