import {
  hasExit,
  type LegFields,
  legExpiry,
  legQuantity,
  type StrategyFields,
} from "#features/strategy-entry/strategy-fields.ts";
import { normalizeUnderlying } from "#features/strategy-entry/strategy-validation.ts";
import type { Side } from "#features/strategy-entry/templates.ts";
import type { NewTrade } from "#lib/add-trade.ts";
import { type Book, brokerFilterQuery, parseBrokerFilter } from "#lib/books.ts";
import { optionExchange } from "#lib/expiry-calendar.ts";
import { fromTimeField } from "#lib/india-time.ts";
import { optionSymbol } from "#lib/option-symbol.ts";
import { toPriceUnits, UNITS_PER_RUPEE } from "#lib/price-units.ts";

export type TradePart = "entry" | "exit";

/** Trade of a leg that is to be added. */
export type PlannedTrade = {
  /** Identifies the trade in all tries to save it. */
  id: string;
  legIndex: number;
  part: TradePart;
  trade: NewTrade;
};

/** Returns the id of a trade of a leg. */
export function tradeId(leg: LegFields, part: TradePart): string {
  return `${leg.id}-${part}`;
}

/** Returns the book of the account that is selected; undefined if there is none. */
export function strategyBook({ account }: StrategyFields): Book | undefined {
  const { broker, brokerAccount } = brokerFilterQuery(parseBrokerFilter(account));
  return broker && { broker, ...(brokerAccount && { brokerAccount }), tradetype: "fno" };
}

/**
 * Returns the trades of a valid form in the order in which they are added: all entries, then the exits of the legs that
 * have an exit price.
 */
export function planTrades(fields: StrategyFields): PlannedTrade[] {
  const entries = fields.legs.map((leg, index) => planTrade(fields, leg, index, "entry"));
  const exits = fields.legs.map((leg, index) =>
    hasExit(fields, leg) ? planTrade(fields, leg, index, "exit") : undefined,
  );
  return [...entries, ...exits].flatMap((trade) => trade ?? []);
}

function planTrade(
  fields: StrategyFields,
  leg: LegFields,
  legIndex: number,
  part: TradePart,
): PlannedTrade | undefined {
  const isEntry = part === "entry";
  const underlying = normalizeUnderlying(fields.underlying);
  const option = { underlying, expiry: legExpiry(fields, leg), strike: Number(leg.strike), kind: leg.kind };
  // The contract of the entry: the exit must be of the same symbol.
  const symbol = optionSymbol(option, fields.openedAt.slice(0, 10));
  const quantity = legQuantity(fields, leg);
  if (!symbol || !quantity) return undefined;
  const trade: NewTrade = {
    symbol,
    quantity,
    type: isEntry ? leg.side : oppositeSide(leg.side),
    price: Number(isEntry ? leg.entryPrice : leg.exitPrice),
    timestamp: fromTimeField(isEntry ? fields.openedAt : fields.closedAt),
    exchange: optionExchange(underlying),
    pairId: leg.id,
  };
  return { id: tradeId(leg, part), legIndex, part, trade };
}

export type StrategySummary = {
  /** Cash of the entries in rupees, positive for a credit; undefined until all fields for it are valid. */
  net: number | undefined;
  /** Profit or loss before charges; undefined unless all legs have an exit price. */
  result: number | undefined;
  entries: number;
  exits: number;
};

/** Returns the figures below the form while it is filled in. */
export function summarizeStrategy(fields: StrategyFields): StrategySummary {
  const { legs } = fields;
  const entries = legs.map((leg) => cashUnits(fields, leg, leg.side, leg.entryPrice));
  const exits = legs.map((leg) => cashUnits(fields, leg, oppositeSide(leg.side), leg.exitPrice));
  return {
    net: sumRupees(entries),
    result: sumRupees([...entries, ...exits]),
    entries: legs.length,
    exits: legs.filter((leg) => hasExit(fields, leg)).length,
  };
}

function oppositeSide(side: Side): Side {
  return side === "buy" ? "sell" : "buy";
}

function cashUnits(fields: StrategyFields, leg: LegFields, side: Side, price: string): bigint | undefined {
  const [units, quantity] = [toPriceUnits(price), legQuantity(fields, leg)];
  if (units === undefined || quantity === undefined) return undefined;
  return (side === "sell" ? units : -units) * BigInt(quantity);
}

function sumRupees(amounts: readonly (bigint | undefined)[]): number | undefined {
  let sum = 0n;
  for (const amount of amounts) {
    if (amount === undefined) return undefined;
    sum += amount;
  }
  return amounts.length > 0 ? Number(sum) / UNITS_PER_RUPEE : undefined;
}
