import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Fill } from "./analytics-book.ts";
import { type Cell, workbook } from "./workbook.ts";

const XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

type Report = { name: string; mimeType: string; buffer: Buffer };
/** Symbol, ISIN, quantity, buy value, sell value. */
type ClosedPosition = readonly [symbol: string, isin: string, quantity: number, bought: number, sold: number];

/** The results of the analytics test book, of one share of another tradebook, and of the sell without a cost basis. */
const EQUITY: readonly ClosedPosition[] = [
  ["INFY", "INE009A01021", 240, 360_000, 362_000],
  ["TCS", "INE467B01029", 5, 15_000, 15_500],
  ["HDFCBANK", "INE040A01034", 25, 41_050, 43_210.75],
  ["WIPRO", "INE075A01022", 20, 4_000, 5_000],
];

const FNO: readonly ClosedPosition[] = [["NIFTY25JUNFUT", "", 75, 1_800_000, 1_807_500]];

export function zerodhaEquity(padding = 0): Report {
  const charges = [
    ["Brokerage - Z", 216.6],
    ["Securities Transaction Tax - Z", 150],
    ["Central GST - Z", 20],
    ["State GST - Z", 20],
  ] as const;
  return zerodha("Equity", charges, EQUITY, padding);
}

/** The shares of `zerodhaEquity` in a report without charges. */
export function zerodhaEquityWithoutCharges(): Report {
  return zerodha("Equity", [], EQUITY);
}

/** The future of `zerodhaFno`, and 75 options that were bought at 100 and settled at 180. */
export function zerodhaFnoWithSettlement(): Report {
  return zerodha("F&O", [], [...FNO, ["NIFTY25JUN24500CE", "", 75, 7_500, 13_500]]);
}

export function zerodhaFno(): Report {
  return zerodha("F&O", [["Brokerage - Z", 40]], FNO);
}

/** The future of `zerodhaFno` at ₹15 for each of its two orders, and the sheet of debits and credits. */
export function zerodhaFnoOfAPlan(): Report {
  const charges = [
    ["Brokerage - Z", 30],
    ["Securities Transaction Tax - Z", 362],
  ] as const;
  const debits: Cell[][] = [
    ["", "Particulars", "Posting Date", "Debit", "Credit"],
    ["", "AMC for Demat Account", "2025-06-12", 88.5, 0],
    ["", "Delayed payment charges for May - 2025", "2025-06-13", 12.25, 0],
  ];
  return zerodha("F&O", charges, FNO, 0, debits);
}

/** The layout of Zerodha: title in row 11, charges from row 24, header in row 38, all from column B on. */
function zerodha(
  segment: string,
  charges: readonly (readonly [string, number])[],
  closed: readonly ClosedPosition[],
  padding = 0,
  debits: Cell[][] = [],
): Report {
  const rows: Cell[][] = Array.from({ length: 38 }, () => []);
  const put = (row: number, ...cells: Cell[]) => {
    rows[row - 1] = ["", ...cells];
  };
  const realised = closed.reduce((sum, [, , , bought, sold]) => sum + sold - bought, 0);
  put(7, "Client ID", "AB1234");
  put(11, `P&L Statement for ${segment} from 2025-06-01 to 2025-07-31`);
  put(17, "Realized P&L", realised);
  put(23, "Account Head", "Amount");
  for (const [index, charge] of charges.entries()) put(24 + index, ...charge);
  put(38, "Symbol", "ISIN", "Quantity", "Buy Value", "Sell Value", "Realized P&L");
  for (const [symbol, isin, quantity, bought, sold] of closed)
    rows.push(["", symbol, isin, quantity, bought, sold, sold - bought]);
  const sheets = [{ name: segment, rows }];
  if (debits.length > 0) sheets.push({ name: "Other Debits and Credits", rows: debits });
  return file(`pnl-${segment.replace("&", "")}.xlsx`, workbook(sheets, padding));
}

/** Head, symbol, ISIN, days of entry and exit, quantity, buy value, sell value. */
type Exit = readonly [
  section: string,
  symbol: string,
  isin: string,
  entry: string,
  exit: string,
  quantity: number,
  bought: number,
  sold: number,
];

/**
 * Zerodha's tax P&L with the trades of the analytics test book: TCS under another head, one share of another tradebook,
 * the sell without a cost basis, and a fund.
 */
export function zerodhaTaxReport(intraday: readonly Fill[]): Report {
  const buys = intraday.filter(({ side }) => side === "buy");
  const sells = intraday.filter(({ side }) => side === "sell");
  const exits: Exit[] = buys.map(({ symbol, quantity, price, at }, index) => {
    const day = at.slice(0, 10);
    const sold = quantity * (sells[index]?.price ?? 0);
    return ["Equity - Intraday", symbol, "INE009A01021", day, day, quantity, quantity * price, sold];
  });
  exits.push(
    ["Equity - Short Term", "HDFCBANK", "INE040A01034", "2025-06-16", "2025-07-01", 25, 41_050, 43_210.75],
    ["Equity - Short Term", "WIPRO", "INE075A01022", "2025-01-10", "2025-07-10", 20, 4_000, 5_000],
    ["Equity - Long Term", "TCS", "INE467B01029", "2025-06-03", "2025-07-04", 5, 15_000, 15_500],
    ["Mutual Funds", "A FUND", "INF000A01020", "2024-06-03", "2025-07-04", 10, 1_000, 1_100],
  );
  const rows: Cell[][] = [
    ["", "Client ID", "AB1234"],
    ["", "Tradewise Exits from 2025-04-01 to 2026-03-31"],
  ];
  for (const section of new Set(exits.map(([name]) => name))) {
    rows.push([], ["", section]);
    rows.push([
      "",
      "Symbol",
      "ISIN",
      "Entry Date",
      "Exit Date",
      "Quantity",
      "Buy Value",
      "Sell Value",
      "Profit",
    ]);
    for (const [, ...cells] of exits.filter(([name]) => name === section))
      rows.push(["", ...cells, (cells[6] ?? 0) - (cells[5] ?? 0)]);
  }
  return file(
    "taxpnl-AB1234-2025_2026-Q1-Q4.xlsx",
    workbook([{ name: "Tradewise Exits from 2025-04-01", rows }]),
  );
}

/** A report with one intraday trade; without the sheet per share, as in some reports. */
export function growwStocks(): Report {
  const rows: Cell[][] = [
    ["Name", "A Trader"],
    ["Unique Client Code", "1234567890"],
    [],
    ["P&L Statement for stocks from 01-06-2025 TO 30-06-2025"],
    [],
    ["Summary"],
    ["Realised P&L", 50.5],
    [],
    ["Charges"],
    ["Brokerage", 40],
    [],
    ["Realised trades"],
    [],
    ["Stock name", "ISIN", "Quantity", "Buy date", "Buy price", "Buy value"].concat([
      "Sell date",
      "Sell price",
      "Sell value",
      "Realised P&L",
      "Remark",
    ]),
    ["INFOSYS LTD", "INE009A01021", 10, "11-06-2025", 1_500, 15_000].concat([
      "11-06-2025",
      1_505.05,
      15_050.5,
      50.5,
      "Intraday trade",
    ]),
    [],
    ["Disclaimer:"],
  ];
  return file("Stocks_PnL_Report.xlsx", workbook([{ name: "Trade Level", rows }]));
}

function file(name: string, buffer: Buffer): Report {
  return { name, mimeType: XLSX, buffer };
}

/** Writes a Zerodha tradebook with the future of `zerodhaFno`. */
export async function fnoTradebook(name: string): Promise<string> {
  const head =
    "symbol,isin,trade_date,exchange,segment,series,trade_type,auction,quantity,price,trade_id,order_id,order_execution_time,expiry_date";
  const fill = (side: string, price: number, at: string, id: number) =>
    `NIFTY25JUNFUT,,${at.slice(0, 10)},NSE,FO,,${side},false,75.000000,${price.toFixed(6)},${id},12000000${id},${at},2025-06-26`;
  return write(`${name}.csv`, [
    head,
    fill("buy", 24_000, "2025-06-05T09:20:00", 61_000_001),
    fill("sell", 24_100, "2025-06-06T11:00:00", 61_000_002),
  ]);
}

/** Writes a Groww order history with the trade of `growwStocks`. */
export async function growwOrders(name: string): Promise<string> {
  const order = (side: string, value: number, id: string, time: string) =>
    `INFOSYS LTD,INFY,INE009A01021,${side},10,${value},NSE,${id},11-06-2025 ${time},Executed`;
  return write(`${name}.csv`, [
    "Name,A Trader",
    "Unique Client Code,1234567890",
    "",
    "Order history for stocks from 01-06-2025 to 30-06-2025",
    "",
    "Stock name,Symbol,ISIN,Type,Quantity,Value,Exchange,Exchange Order Id,Execution date and time,Order status",
    order("BUY", 15_000, "1100000000000001", "09:30 AM"),
    order("SELL", 15_050.5, "1100000000000002", "11:00 AM"),
  ]);
}

async function write(name: string, lines: readonly string[]): Promise<string> {
  const path = join(process.env.E2E_FILES ?? "", name);
  await writeFile(path, `${lines.join("\n")}\n`);
  return path;
}
