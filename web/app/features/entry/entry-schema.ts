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

const SELL_BEFORE_BUY = "This is before the buy. If you sold first (a short trade), choose SELL.";
const BUY_BEFORE_SELL = "This is before the sell. If you bought first, choose BUY.";

/** Schema of a manual entry: a trade with its buy and its sell. All values are text. */
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
      SELL_BEFORE_BUY,
    ),
    ["sellDate"],
  ),
  v.forward(
    v.partialCheck(
      [["type"], ["buyDate"], ["sellDate"]],
      ({ type, buyDate, sellDate }) => type !== "SELL" || buyDate >= sellDate,
      BUY_BEFORE_SELL,
    ),
    ["buyDate"],
  ),
  v.forward(
    v.partialCheck(
      [["type"], ["buyPrice"], ["stopLoss"]],
      ({ type, buyPrice, stopLoss }) => type !== "BUY" || !stopLoss || Number(stopLoss) < Number(buyPrice),
      "For a BUY trade, the stop loss must be below the buy price.",
    ),
    ["stopLoss"],
  ),
  v.forward(
    v.partialCheck(
      [["type"], ["sellPrice"], ["stopLoss"]],
      ({ type, sellPrice, stopLoss }) => type !== "SELL" || !stopLoss || Number(stopLoss) > Number(sellPrice),
      "For a SELL trade, the stop loss must be above the sell price.",
    ),
    ["stopLoss"],
  ),
);

export type EntryFields = v.InferInput<typeof entrySchema>;
/** Validated entry. */
export type Entry = v.InferOutput<typeof entrySchema>;
export type EntryField = keyof EntryFields;

/** Fields in the order of the page. */
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

/** Returns the values for the next entry: clears those that belong to one trade, and keeps the rest. */
export function afterEntry(fields: EntryFields): EntryFields {
  const cleared = {
    symbol: "",
    buyPrice: "",
    sellPrice: "",
    buyDate: "",
    sellDate: "",
    quantity: "",
    stopLoss: "",
  };
  return { ...fields, ...cleared };
}
