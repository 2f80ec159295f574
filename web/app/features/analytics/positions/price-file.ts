import type { Schemas } from "#lib/api.ts";

export type OpenPosition = Pick<Schemas["OpenPosition"], "symbol" | "contract">;

/** Prices of a day, by {@link instrumentKey}. */
export type DayPrices = { day: string; prices: Record<string, number> };

/** Names of the columns of a layout. */
type Layout = {
  symbol: string;
  day: string;
  close: string;
  series: string;
  /** Columns of contracts; absent if the file has shares only. The settlement price is 0 if there was none. */
  contract?: { type: string; expiry: string; strike: string; option: string; settlement: string };
};

/**
 * Layouts of the price files (bhavcopy) of the exchanges, read by the names of their columns:
 *
 * - shares, futures and options of NSE and BSE since 8 July 2024 (UDiFF), known from the headers that public parsers of
 *   these files state;
 * - shares of NSE with deliveries (`sec_bhavdata_full`), recalled.
 */
const LAYOUTS: readonly Layout[] = [
  {
    symbol: "TckrSymb",
    day: "TradDt",
    close: "ClsPric",
    series: "SctySrs",
    contract: {
      type: "FinInstrmTp",
      expiry: "XpryDt",
      strike: "StrkPric",
      option: "OptnTp",
      settlement: "SttlmPric",
    },
  },
  { symbol: "SYMBOL", day: "DATE1", close: "CLOSE_PRICE", series: "SERIES" },
];

/** Series and groups of shares and fund units, the preferred first. Others count if the symbol has no other row. */
const SHARE_SERIES = ["EQ", "BE", "BZ", "SM", "ST", "A", "B", "X", "XT", "T", "M", "MT", "Z"];

const FUTURES = ["STF", "IDF"];
const OPTIONS = ["STO", "IDO"];

/** Returns the key of a share or contract, which positions of several accounts share. */
export function instrumentKey({ symbol, contract }: OpenPosition): string {
  if (!contract) return symbol;
  const { underlying, expiry, kind, strike } = contract;
  return [underlying, expiry, kind, strike ?? ""].join(" ");
}

/** Row of a file that can be the price of an instrument; the lowest rank is the best. */
type Candidate = { price: number; rank: number };

/** Returns the prices of the positions in a price file; undefined if its layout is unknown. */
export function readDayPrices(text: string, positions: readonly OpenPosition[]): DayPrices | undefined {
  const [header = "", ...lines] = text.replace(/^\ufeff/, "").split(/\r?\n/);
  const names = cells(header);
  const layout = LAYOUTS.find(({ symbol, day, series }) =>
    [symbol, day, series].every((name) => names.includes(name)),
  );
  if (!layout) return undefined;

  const bySymbol = new Map<string, OpenPosition[]>();
  for (const position of positions) {
    const symbol = position.contract?.underlying ?? position.symbol;
    bySymbol.set(symbol, [...(bySymbol.get(symbol) ?? []), position]);
  }
  const candidates = new Map<string, Candidate[]>();
  let day = "";
  for (const line of lines) {
    const values = cells(line);
    if (values.length !== names.length) continue;
    const value = (name: string) => values[names.indexOf(name)] ?? "";
    const ofSymbol = bySymbol.get(value(layout.symbol));
    day ||= isoDay(value(layout.day));
    if (!ofSymbol) continue;
    for (const position of ofSymbol) {
      const price = priceOf(position, layout, value);
      const rank = rankOf(position, layout, value);
      if (!price || rank === undefined) continue;
      const key = instrumentKey(position);
      candidates.set(key, [...(candidates.get(key) ?? []), { price, rank }]);
    }
  }
  if (day === "") return undefined;
  return { day, prices: bestPrices(candidates) };
}

function bestPrices(candidates: ReadonlyMap<string, readonly Candidate[]>): Record<string, number> {
  const prices: Record<string, number> = {};
  for (const [key, rows] of candidates) {
    const [best, next] = rows.toSorted((one, other) => one.rank - other.rank);
    // Two rows without a known series can be different securities.
    const isAmbiguous = next && best?.rank === next.rank && best.price !== next.price;
    if (best && !isAmbiguous) prices[key] = best.price;
  }
  return prices;
}

/** Returns the price of a row: the settlement price of a contract, else the closing price; 0 if there was none. */
function priceOf({ contract }: OpenPosition, layout: Layout, value: (name: string) => string): number {
  const settlement = contract && layout.contract ? Number(value(layout.contract.settlement)) : 0;
  return settlement || Number(value(layout.close)) || 0;
}

/** Returns how well a row fits a position: 0 is best; undefined if it is about something else. */
function rankOf(
  { contract }: OpenPosition,
  layout: Layout,
  value: (name: string) => string,
): number | undefined {
  const type = layout.contract ? value(layout.contract.type) : "";
  const isContract = FUTURES.includes(type) || OPTIONS.includes(type);
  if (!contract) {
    if (isContract) return undefined;
    const rank = SHARE_SERIES.indexOf(value(layout.series));
    return rank === -1 ? SHARE_SERIES.length : rank;
  }
  if (!layout.contract || !isContract) return undefined;
  const expiry = isoDay(value(layout.contract.expiry));
  const isSame =
    expiry.startsWith(contract.expiry) &&
    (contract.kind === "FUT"
      ? FUTURES.includes(type)
      : value(layout.contract.option) === contract.kind &&
        Number(value(layout.contract.strike)) === contract.strike);
  // If only the month is known, the contract is the monthly one, which expires last.
  return isSame ? 31 - Number(expiry.slice(-2)) : undefined;
}

function cells(line: string): string[] {
  return line.split(",").map((cell) => cell.trim().replace(/^"(.*)"$/, "$1"));
}

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/** Returns a day such as 2026-11-27, also from 27-Nov-2026; empty if it is none. */
function isoDay(text: string): string {
  if (/^\d{4}-\d{2}-\d{2}$/.test(text)) return text;
  const [, day = "", name = "", year = ""] = /^(\d{2})-([A-Za-z]{3})-(\d{4})$/.exec(text) ?? [];
  const month = MONTHS.indexOf(name.toLowerCase()) + 1;
  return month === 0 ? "" : `${year}-${String(month).padStart(2, "0")}-${day}`;
}
