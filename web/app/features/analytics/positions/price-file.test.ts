import { describe, expect, it } from "vitest";
import { type OpenPosition, readDayPrices } from "#features/analytics/positions/price-file.ts";

const HEADER =
  "TradDt,BizDt,Sgmt,Src,FinInstrmTp,FinInstrmId,ISIN,TckrSymb,SctySrs,XpryDt,FininstrmActlXpryDt,StrkPric,OptnTp,FinInstrmNm,OpnPric,HghPric,LwPric,ClsPric,LastPric,PrvsClsgPric,UndrlygPric,SttlmPric";

/** Writes a row of a share from symbol, series, closing and settlement price. */
function share(symbol: string, series: string, close: number, settlement = 0): string {
  return `2026-11-27,2026-11-27,CM,NSE,STK,1,INE000A01011,${symbol},${series},,,,,NAME,1,1,1,${close},1,1,,${settlement}`;
}

/** Writes a row of a contract from type, underlying, expiry, strike, option kind, closing and settlement price. */
function contract(
  type: string,
  underlying: string,
  expiry: string,
  strike: string,
  option: string,
  [close, settlement]: [number, number],
): string {
  return `2026-11-27,2026-11-27,FO,NSE,${type},1,,${underlying},,${expiry},${expiry},${strike},${option},NAME,1,1,1,${close},1,1,1,${settlement}`;
}

function prices(rows: readonly string[], positions: readonly OpenPosition[]) {
  return readDayPrices([HEADER, ...rows].join("\r\n"), positions);
}

describe("readDayPrices", () => {
  it("takes the closing price of shares in the series that is traded most", () => {
    const rows = [
      share("INFY", "BL", 1400),
      share("INFY", "EQ", 1500.5, 1499),
      share("SGBMAY29", "GB", 9000),
      share("ODD", "N1", 10),
      share("ODD", "N2", 11),
      share("HALTED", "EQ", 0),
      share("OTHER", "EQ", 5),
    ];
    const positions = ["INFY", "SGBMAY29", "ODD", "HALTED", "MISSING"].map((symbol) => ({ symbol }));
    expect(prices(rows, positions)).toEqual({ day: "2026-11-27", prices: { INFY: 1500.5, SGBMAY29: 9000 } });
  });

  it("takes the settlement price of the contract with the same expiry, strike and kind", () => {
    const rows = [
      share("NIFTY", "EQ", 7),
      contract("IDF", "NIFTY", "2026-12-29", "", "", [26000, 26010.5]),
      contract("IDO", "NIFTY", "2026-12-29", "26000", "CE", [100, 0]),
      contract("IDO", "NIFTY", "2026-12-29", "26000", "PE", [90, 91]),
      contract("IDO", "NIFTY", "2026-12-01", "26000", "CE", [50, 51]),
    ];
    const of = (expiry: string, kind: "FUT" | "CE" | "PE", strike: number | null) => ({
      symbol: "NIFTY",
      contract: { underlying: "NIFTY", expiry, kind, strike },
    });
    const positions = [
      of("2026-12-29", "FUT", null),
      of("2026-12-29", "CE", 26000),
      // Only the month is known: the contract that expires last.
      of("2026-12", "CE", 26000),
      of("2026-12-29", "CE", 26500),
    ];
    expect(prices(rows, positions)?.prices).toEqual({
      "NIFTY 2026-12-29 FUT ": 26010.5,
      "NIFTY 2026-12-29 CE 26000": 100,
      "NIFTY 2026-12 CE 26000": 100,
    });
  });

  it("reads the file of NSE with deliveries, whose names and days have spaces", () => {
    const text =
      "SYMBOL, SERIES, DATE1, PREV_CLOSE, CLOSE_PRICE\nINFY, EQ, 26-Nov-2026, 1480.00, 1490.25\nINFY, N1, 26-Nov-2026, 1, 99";
    expect(readDayPrices(text, [{ symbol: "INFY" }])).toEqual({
      day: "2026-11-26",
      prices: { INFY: 1490.25 },
    });
  });

  it("rejects other files, and files without a day", () => {
    expect(readDayPrices("symbol,trade_date,price\nINFY,2026-11-27,1", [{ symbol: "INFY" }])).toBeUndefined();
    expect(prices(["broken,row"], [{ symbol: "INFY" }])).toBeUndefined();
    expect(readDayPrices("", [])).toBeUndefined();
  });
});
