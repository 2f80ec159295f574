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

/** The trades of one broker and one kind. */
export type Book = { broker: Schemas["Broker"]; tradetype: Schemas["TradeType"] };

/** What comes from a storage or from an address may name no book. */
export function toBook(broker: unknown, tradetype: unknown): Book | undefined {
  const known = BROKERS.find(({ value }) => value === broker)?.value;
  const type = TRADE_TYPES.find(({ value }) => value === tradetype)?.value;
  return known && type && { broker: known, tradetype: type };
}

export function brokerName(broker: Schemas["Broker"]): string {
  return BROKERS.find(({ value }) => value === broker)?.label ?? broker;
}

export function tradeTypeName(type: Schemas["TradeType"]): string {
  return TRADE_TYPES.find(({ value }) => value === type)?.label ?? type;
}

/** A broker and a kind of trade make a book: "Zerodha, Equity". */
export function bookName(book: Book): string {
  return `${brokerName(book.broker)}, ${tradeTypeName(book.tradetype)}`;
}

/** A made-up tradebook to try the import with. */
export const SAMPLE_FILE = { href: "/samples/zerodha-tradebook-sample.csv", label: "Sample file (CSV)" };
