import type { Schemas } from "#lib/api.ts";

type Choices<T> = readonly { value: T; label: string }[];

/** Brokers with their display names. */
export const BROKERS: Choices<Schemas["Broker"]> = [
  { value: "zerodha", label: "Zerodha" },
  { value: "groww", label: "Groww" },
];

/** Trade types with their display names. */
export const TRADE_TYPES: Choices<Schemas["TradeType"]> = [
  { value: "equity", label: "Equity" },
  { value: "fno", label: "Future & Option" },
];

/** A trade book: the trades of one broker and one trade type. */
export type Book = { broker: Schemas["Broker"]; tradetype: Schemas["TradeType"] };

/** Reads a book from browser storage or from a URL; undefined if the values name none. */
export function parseBook(brokerValue: unknown, tradeTypeValue: unknown): Book | undefined {
  const broker = BROKERS.find(({ value }) => value === brokerValue)?.value;
  const tradetype = TRADE_TYPES.find(({ value }) => value === tradeTypeValue)?.value;
  return broker && tradetype && { broker, tradetype };
}

export function brokerName(broker: Schemas["Broker"]): string {
  return BROKERS.find(({ value }) => value === broker)?.label ?? broker;
}

export function tradeTypeName(type: Schemas["TradeType"]): string {
  return TRADE_TYPES.find(({ value }) => value === type)?.label ?? type;
}

/** Returns a name such as "Zerodha, Equity". */
export function bookName(book: Book): string {
  return `${brokerName(book.broker)}, ${tradeTypeName(book.tradetype)}`;
}

/** Made-up tradebook for trying the import. */
export const SAMPLE_FILE = { href: "/samples/zerodha-tradebook-sample.csv", label: "Sample file (CSV)" };
