import type { Schemas } from "#lib/api.ts";
import type { Book } from "#lib/books.ts";
import { count } from "#lib/format.ts";

export type Table = Schemas["MappedTable"];
export type Mapping = Schemas["ColumnMapping"];
export type ColumnField = Mapping["columns"][number]["field"];

/** Contents of a column, in the order of the choices. */
export const COLUMN_FIELDS: readonly { value: ColumnField; label: string }[] = [
  { value: "symbol", label: "Symbol" },
  { value: "side", label: "Buy or sell" },
  { value: "quantity", label: "Quantity" },
  { value: "price", label: "Price" },
  { value: "buyPrice", label: "Buy price" },
  { value: "sellPrice", label: "Sell price" },
  { value: "date", label: "Date" },
  { value: "time", label: "Time" },
  { value: "value", label: "Value" },
  { value: "exchange", label: "Exchange" },
  { value: "isin", label: "ISIN" },
  { value: "orderId", label: "Order ID" },
  { value: "tradeId", label: "Trade ID" },
  { value: "underlying", label: "Underlying" },
  { value: "expiry", label: "Expiry" },
  { value: "strike", label: "Strike" },
  { value: "optionType", label: "CE or PE" },
  { value: "lotSize", label: "Lot size" },
];

/** Usual names of columns, without spaces, dots and underscores. */
const NAMES: Record<ColumnField, RegExp> = {
  symbol: /^(symbol|scrip|script|stock|instrument|security|tradingsymbol|contract)(name|code)?$/,
  side: /^(b\/s|side|buy\/sell|type|tradetype|action|transactiontype|buysell)$/,
  quantity: /^(traded|trade|filled)?(qty|quantity|units|shares|lots)$/,
  price: /^(trade|traded|avg|average|market)?(price|rate)$/,
  buyPrice: /^buy(price|rate)$/,
  sellPrice: /^sell(price|rate)$/,
  date: /^(trade|transaction|order)?(date|day)(&time|\/time|andtime|time)?$/,
  time: /^(trade|transaction|order)?time$/,
  value: /^(trade|total|gross)?(value|amount)$/,
  exchange: /^(exchange|exch|market)$/,
  isin: /^isin(code)?$/,
  orderId: /^(exchange)?order(id|no|number|ref|num)$/,
  tradeId: /^trade(id|no|number|num)$/,
  underlying: /^underlying$/,
  expiry: /^expiry(date)?$/,
  strike: /^strike(price)?$/,
  optionType: /^(option|opt)type$/,
  lotSize: /^lot(size)?$/,
};

/** Answers of the trader; an empty one is still open. */
export type MappingDraft = {
  /** Field of each column of the table; empty: the column is not needed. */
  fields: (ColumnField | "")[];
  /** Columns whose field was suggested and not chosen. */
  suggested: boolean[];
  broker: Book["broker"] | "";
  tradetype: Book["tradetype"];
  exchange: "" | "NSE" | "BSE";
  dateOrder: "" | "day" | "month";
  buyLabel: string;
  sellLabel: string;
  unit: "units" | "lots";
  lotSize: string;
};

/** Suggests fields by the names of the columns, and the order of day and month if a date proves it. */
export function suggestMapping(table: Table, tradetype: Book["tradetype"]): MappingDraft {
  const taken = new Set<ColumnField>();
  const fields = table.header.map((name) => {
    const plain = name.toLowerCase().replace(/[\s._]/g, "");
    const field = COLUMN_FIELDS.find(({ value }) => !taken.has(value) && NAMES[value].test(plain))?.value;
    if (field) taken.add(field);
    return field ?? "";
  });
  const isLots = fields.some(
    (field, index) => field === "quantity" && /lots$/i.test(table.header[index] ?? ""),
  );
  const draft: MappingDraft = {
    fields,
    suggested: fields.map((field) => field !== ""),
    broker: "",
    tradetype,
    exchange: "",
    dateOrder: "",
    buyLabel: "",
    sellLabel: "",
    unit: isLots ? "lots" : "units",
    lotSize: "",
  };
  return { ...draft, dateOrder: provenDateOrder(cellsOf(table, draft, "date")) };
}

/** Returns the first cells of the column with a field. */
function cellsOf(table: Table, { fields }: MappingDraft, field: ColumnField): string[] {
  const column = fields.indexOf(field);
  return column < 0 ? [] : table.rows.map(({ cells }) => cells[column] ?? "");
}

/** Returns the order of day and month that a number above 12 proves; empty if none does. */
function provenDateOrder(cells: readonly string[]): MappingDraft["dateOrder"] {
  const dates = cells.flatMap((cell) => {
    const parts = /^(\d{1,2})[/.-](\d{1,2})[/.-]\d{2}/.exec(cell);
    return parts ? [{ first: Number(parts[1]), second: Number(parts[2]) }] : [];
  });
  const day = dates.some(({ first }) => first > 12);
  const month = dates.some(({ second }) => second > 12);
  if (day === month) return "";
  return day ? "day" : "month";
}

/** Returns true if the sides of the first rows are none of the usual words, so that the trader has to explain them. */
export function needsSideLabels(table: Table, draft: MappingDraft): boolean {
  return cellsOf(table, draft, "side").some((cell) => cell !== "" && !/^(buy|b|sell|s)$/i.test(cell.trim()));
}

/** Returns what is missing before the file can be read; empty if nothing is. */
export function missingText(draft: MappingDraft): string {
  const has = (field: ColumnField) => draft.fields.includes(field);
  const isFno = draft.tradetype === "fno";
  const missing = [
    !has("symbol") && !(isFno && has("underlying") && has("expiry")) && "symbol",
    !(has("buyPrice") && has("sellPrice")) && !has("side") && "buy or sell",
    !has("quantity") && "quantity",
    !(has("buyPrice") && has("sellPrice")) && !has("price") && "price",
    !has("date") && "date",
  ].filter((name) => name !== false);
  if (missing.length > 0) return `Choose the column for: ${missing.join(", ")}.`;
  if (!draft.broker) return "Choose the broker.";
  if (!has("exchange") && !draft.exchange) return "Choose the exchange.";
  if (draft.unit === "lots" && !has("lotSize") && !/^[1-9]\d{0,5}$/.test(draft.lotSize)) {
    return "Enter the lot size, or choose the column that has it.";
  }
  return "";
}

/** Returns the mapping of a draft; dates are read day first until the trader says otherwise. */
export function toMapping(table: Table, draft: MappingDraft): Mapping | undefined {
  const columns = draft.fields.flatMap((field, column) => (field ? [{ column, field }] : []));
  const words = (text: string) => (text.trim() ? [text.trim()] : []);
  const { broker, tradetype } = draft;
  if (!broker) return undefined;
  return {
    header: table.header,
    broker,
    tradetype,
    columns,
    monthFirst: draft.dateOrder === "month",
    buyLabels: words(draft.buyLabel),
    sellLabels: words(draft.sellLabel),
    quantityInLots: draft.unit === "lots",
    ...(draft.unit === "lots" && draft.lotSize && { lotSize: draft.lotSize }),
    ...(draft.exchange && !draft.fields.includes("exchange") && { exchange: draft.exchange }),
  };
}

/** Issues that show that a field is in the wrong column, and the text if there is none. */
const PROOFS: Partial<Record<ColumnField, { codes: RegExp; text: string }>> = {
  symbol: { codes: /^(symbol_|share_name_unknown|contract_|segment_mismatch)/, text: "all are symbols" },
  underlying: { codes: /^contract_/, text: "all are contracts" },
  side: { codes: /^side_/, text: "buy and sell only" },
  quantity: { codes: /^quantity_/, text: "whole numbers" },
  price: { codes: /^(price_|amount_)/, text: "valid price steps" },
  buyPrice: { codes: /^(price_|amount_)/, text: "valid price steps" },
  value: { codes: /^value_/, text: "quantity × price agrees" },
  date: { codes: /^(date_|dates_|not_a_trading_day)/, text: "dates in order" },
  time: { codes: /^(time_|outside_market_hours)/, text: "within market hours" },
  exchange: { codes: /^exchange_/, text: "NSE and BSE only" },
  isin: { codes: /^isin_invalid/, text: "all are ISINs" },
  orderId: { codes: /^order_id_/, text: "all are order IDs" },
  tradeId: { codes: /^trade_id_/, text: "no ID twice" },
};

export type Proof = { ok: boolean; text: string };

/** Returns what the whole file says about a field; undefined if it was not checked. */
export function proofOf(field: ColumnField | "", table: Table): Proof | undefined {
  const proof = field ? PROOFS[field] : undefined;
  if (!proof || !table.result) return undefined;
  const { rows } = table.result;
  const failing = Object.entries(table.issueCounts)
    .filter(([code]) => proof.codes.test(code))
    .reduce((sum, [, number]) => sum + number, 0);
  if (failing > 0) return { ok: false, text: `${count(failing)} of ${count(rows)} rows to check` };
  if (field === "date" && !table.dateOrderProven) return { ok: false, text: "choose the date format" };
  return { ok: true, text: proof.text };
}
