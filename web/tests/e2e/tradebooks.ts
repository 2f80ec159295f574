import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";

export type Broker = "zerodha" | "groww";

/** Rows of the files that the setup makes. More rows hold all the trades of fewer. */
export const ROWS = { few: 40, some: 60, many: 3_000 } as const;

export const FILES = [
  { broker: "zerodha", ending: "xlsx" },
  { broker: "zerodha", ending: "csv" },
  { broker: "zerodha", ending: "json" },
  { broker: "groww", ending: "xlsx" },
  { broker: "groww", ending: "json" },
] as const;

export function fileOf(broker: Broker, rows: number, ending: "xlsx" | "csv" | "json" = "xlsx"): string {
  return join(process.env.E2E_FILES ?? "", `${broker}-${rows}.${ending}`);
}

/** Groww's report on futures and options: five pairs, one of which ended without value, and a row that is none. */
export function growwFno(): string {
  return join(process.env.E2E_FILES ?? "", "groww-fno.xlsx");
}

/** An old .xls, as the tests of the reader have it. */
export function oldFile(name: string): string {
  return resolve(import.meta.dirname, "../../../crates/import/src/tests/fixtures/xls", `${name}.xls`);
}

/** A trade as it was put into a file. */
export type Put = {
  symbol: string;
  type: "buy" | "sell";
  quantity: number;
  /** Paise for all of it. */
  paise: number;
  exchange: "NSE" | "BSE";
  /** With the offset of India. */
  timestamp: string;
};

/** What is in a file, newest first, told by the program that made it. */
export async function putInto(broker: Broker, rows: number): Promise<Put[]> {
  const list: Put[] = JSON.parse(await readFile(fileOf(broker, rows, "json"), "utf8"));
  return list.toSorted((a, b) => b.timestamp.localeCompare(a.timestamp));
}

/** Rupees for one, with the four decimals that are kept. */
export function priceOf({ paise, quantity }: Put): number {
  return Math.round((paise * 100) / quantity) / 10_000;
}

const BROKERS = { zerodha: "Zerodha", groww: "Groww" } as const;
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** The row as it has to stand in the log, put together here without any formatter of the browser. */
export function rowOf(put: Put, broker: Broker): string[] {
  return [
    put.type === "buy" ? "BUY" : "SELL",
    put.symbol,
    indian(put.quantity),
    rupees(priceOf(put)),
    indiaTime(put.timestamp),
    BROKERS[broker],
  ];
}

function indian(whole: number): string {
  return String(whole).replace(/(?<=\d)(?=(\d\d)*\d{3}$)/g, ",");
}

function rupees(price: number): string {
  const paise = Math.round(Math.round(price * 10_000) / 100);
  return `₹${indian(Math.floor(paise / 100))}.${String(paise % 100).padStart(2, "0")}`;
}

/** 1 Jan 2024, 9:15 am */
function indiaTime(timestamp: string): string {
  const [date = "", time = ""] = timestamp.split("T");
  const [year, month, day] = date.split("-").map(Number);
  const [hour = 0, minute = 0] = time.split(":").map(Number);
  const clock = `${hour % 12 || 12}:${String(minute).padStart(2, "0")} ${hour < 12 ? "am" : "pm"}`;
  return `${day} ${MONTHS[(month ?? 0) - 1]} ${year}, ${clock}`;
}
