import * as v from "valibot";
import {
  noteField,
  priceField,
  quantityField,
  stockNameLimit,
  stopLossField,
  symbolField,
  timeField,
} from "#lib/trade-fields.ts";

const BUY_LAST = "This is before the buy. A short trade, sold before it is bought, has the type SELL.";
const SELL_LAST = "This is before the sell. The type SELL is a short trade: it is bought back later.";

/** One entry: a trade from its buy to its sell. Everything is text, as the fields hold it. */
export const entrySchema = v.pipe(
  v.object({
    broker: v.pipe(v.string(), v.picklist(["zerodha", "groww"], "Choose a broker.")),
    tradetype: v.pipe(v.string(), v.picklist(["equity", "fno"], "Choose a trade type.")),
    stockName: v.pipe(v.string(), v.trim(), v.nonEmpty("Enter the stock name."), stockNameLimit),
    symbol: v.pipe(symbolField, v.toUpperCase()),
    type: v.pipe(v.string(), v.picklist(["BUY", "SELL"], "Choose BUY or SELL.")),
    market: v.pipe(v.string(), v.picklist(["NSE", "BSE"], "Choose NSE or BSE.")),
    quantity: quantityField,
    buyPrice: priceField("buy price"),
    buyDate: timeField("buy date and time"),
    sellPrice: priceField("sell price"),
    sellDate: timeField("sell date and time"),
    notes: noteField("notes"),
    psychology: noteField("psychology"),
    marketOutlook: noteField("market outlook"),
    stopLoss: stopLossField,
  }),
  v.forward(
    v.partialCheck(
      [["type"], ["buyDate"], ["sellDate"]],
      ({ type, buyDate, sellDate }) => type !== "BUY" || sellDate >= buyDate,
      BUY_LAST,
    ),
    ["sellDate"],
  ),
  v.forward(
    v.partialCheck(
      [["type"], ["buyDate"], ["sellDate"]],
      ({ type, buyDate, sellDate }) => type !== "SELL" || buyDate >= sellDate,
      SELL_LAST,
    ),
    ["buyDate"],
  ),
  v.forward(
    v.partialCheck(
      [["type"], ["buyPrice"], ["stopLoss"]],
      ({ type, buyPrice, stopLoss }) => type !== "BUY" || !stopLoss || Number(stopLoss) < Number(buyPrice),
      "The stop loss of what is bought first is below its buy price.",
    ),
    ["stopLoss"],
  ),
  v.forward(
    v.partialCheck(
      [["type"], ["sellPrice"], ["stopLoss"]],
      ({ type, sellPrice, stopLoss }) => type !== "SELL" || !stopLoss || Number(stopLoss) > Number(sellPrice),
      "The stop loss of what is sold first is above its sell price.",
    ),
    ["stopLoss"],
  ),
);

export type EntryFields = v.InferInput<typeof entrySchema>;
/** What passed. */
export type Entry = v.InferOutput<typeof entrySchema>;
export type EntryField = keyof EntryFields;

/** In the order in which they stand on the page. */
export const ENTRY_FIELDS: readonly EntryField[] = [
  "broker",
  "tradetype",
  "symbol",
  "stockName",
  "type",
  "market",
  "quantity",
  "buyPrice",
  "buyDate",
  "sellPrice",
  "sellDate",
  "notes",
  "psychology",
  "marketOutlook",
  "stopLoss",
];

export function isEntryField(name: string): name is EntryField {
  return ENTRY_FIELDS.some((field) => field === name);
}

export const NEW_ENTRY: EntryFields = {
  broker: "",
  tradetype: "equity",
  stockName: "",
  symbol: "",
  type: "BUY",
  market: "NSE",
  quantity: "",
  buyPrice: "",
  buyDate: "",
  sellPrice: "",
  sellDate: "",
  notes: "",
  psychology: "",
  marketOutlook: "",
  stopLoss: "",
};

/** What stays for the next entry, and what is of this one alone. */
export function afterEntry(fields: EntryFields): EntryFields {
  const ofThisOne = {
    symbol: "",
    buyPrice: "",
    sellPrice: "",
    buyDate: "",
    sellDate: "",
    quantity: "",
    stopLoss: "",
  };
  return { ...fields, ...ofThisOne };
}
