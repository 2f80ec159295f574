import type { Schemas } from "#lib/api.ts";

const MAX_ACCOUNTS_PER_BROKER = 20;

type Choices<T> = readonly { value: T; label: string }[];

/** Brokers with their display names. */
export const BROKERS: Choices<Schemas["Broker"]> = [
  { value: "zerodha", label: "Zerodha" },
  { value: "groww", label: "Groww" },
  { value: "upstox", label: "Upstox" },
  { value: "angelone", label: "Angel One" },
  { value: "dhan", label: "Dhan" },
  { value: "fyers", label: "Fyers" },
  { value: "icicidirect", label: "ICICI Direct" },
  { value: "kotak", label: "Kotak Securities" },
  { value: "paytmmoney", label: "Paytm Money" },
  { value: "5paisa", label: "5paisa" },
  { value: "hdfcsecurities", label: "HDFC Securities" },
];

/** Brokers, for schemas. */
export const BROKER_VALUES = BROKERS.map(({ value }) => value);

/** Trade types with their display names. */
export const TRADE_TYPES: Choices<Schemas["TradeType"]> = [
  { value: "equity", label: "Equity" },
  { value: "fno", label: "Future & Option" },
];

/** Account with a broker. The number is absent for the first account. */
export type BrokerAccount = { broker: Schemas["Broker"]; brokerAccount?: number };

/** A trade book: the trades of one trade type in one account with a broker. */
export type Book = BrokerAccount & { tradetype: Schemas["TradeType"] };

/** Broker and trade type that the trader selected; undefined if the file decides. */
export type BookSelection = Partial<Pick<Book, "broker" | "tradetype">>;

/** Returns the book of a selection; without one Zerodha, Equity. */
export function bookOf({ broker = "zerodha", tradetype = "equity" }: BookSelection): Book {
  return { broker, tradetype };
}

/** Parses the values of the two selects; an empty value leaves the decision to the file. */
export function parseSelection(brokerValue: string, tradeTypeValue: string): BookSelection {
  const broker = BROKERS.find(({ value }) => value === brokerValue)?.value;
  const tradetype = TRADE_TYPES.find(({ value }) => value === tradeTypeValue)?.value;
  return { ...(broker && { broker }), ...(tradetype && { tradetype }) };
}

/** Returns true if a book is one that the trader selected, or may be any. */
export function isSelected(book: Book, { broker, tradetype }: BookSelection): boolean {
  return (!broker || book.broker === broker) && (!tradetype || book.tradetype === tradetype);
}

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

/** Returns a name such as "Zerodha", or "Zerodha 2" for the second account with Zerodha. */
export function brokerAccountName({ broker, brokerAccount = 1 }: BrokerAccount): string {
  return brokerAccount === 1 ? brokerName(broker) : `${brokerName(broker)} ${brokerAccount}`;
}

/** Returns a name such as "Zerodha, Equity". */
export function bookName(book: Book): string {
  return `${brokerAccountName(book)}, ${tradeTypeName(book.tradetype)}`;
}

/** Selection of a filter: "zerodha" for all accounts with Zerodha, "zerodha-2" for the second one, "" for all brokers. */
export type BrokerFilter = Schemas["Broker"] | `${Schemas["Broker"]}-${number}` | "";

/** Parses the selection in an address; an invalid one selects all brokers. */
export function parseBrokerFilter(value: string | null): BrokerFilter {
  const [name, digits] = (value ?? "").split("-", 2);
  const broker = BROKERS.find((option) => option.value === name)?.value;
  if (!broker || digits === undefined) return broker ?? "";
  const number = /^[1-9][0-9]?$/.test(digits) ? Number(digits) : 0;
  return number >= 1 && number <= MAX_ACCOUNTS_PER_BROKER ? `${broker}-${number}` : broker;
}

/** Returns the request parameters of a selection. */
export function brokerFilterQuery(filter: BrokerFilter): Partial<BrokerAccount> {
  const [name, digits] = filter.split("-", 2);
  const broker = BROKERS.find((option) => option.value === name)?.value;
  return { ...(broker && { broker }), ...(broker && digits && { brokerAccount: Number(digits) }) };
}

/** Made-up tradebook for trying the import. */
export const SAMPLE_FILE = { href: "/samples/zerodha-tradebook-sample.csv", label: "Sample file (CSV)" };
