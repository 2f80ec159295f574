import type { Schemas } from "#lib/api.ts";

type Named<T> = readonly { value: T; label: string }[];

/** The brokers and kinds of trades, with the names that the screens show. */
export const BROKERS: Named<Schemas["Broker"]> = [
  { value: "zerodha", label: "Zerodha" },
  { value: "groww", label: "Groww" },
];

export const TRADE_TYPES: Named<Schemas["TradeType"]> = [
  { value: "equity", label: "Equity" },
  { value: "fno", label: "Future & Option" },
];

export function brokerName(broker: Schemas["Broker"]): string {
  return BROKERS.find(({ value }) => value === broker)?.label ?? broker;
}

export function tradeTypeName(type: Schemas["TradeType"]): string {
  return TRADE_TYPES.find(({ value }) => value === type)?.label ?? type;
}

/** A broker and a kind of trade make a book: "Zerodha, Equity". */
export function bookName(book: { broker: Schemas["Broker"]; tradetype: Schemas["TradeType"] }): string {
  return `${brokerName(book.broker)}, ${tradeTypeName(book.tradetype)}`;
}

/** A made-up tradebook to try the import with. */
export const SAMPLE_FILE = { href: "/samples/zerodha-tradebook-sample.csv", label: "Sample file (CSV)" };
