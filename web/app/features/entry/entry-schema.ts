import * as v from "valibot";
import { BROKER_VALUES } from "#lib/books.ts";
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

type LegField = "buyPrice" | "buyDate" | "sellPrice" | "sellDate";
type LegValues = Readonly<Record<LegField, string>>;

const LEGS = { buy: ["buyPrice", "buyDate"], sell: ["sellPrice", "sellDate"] } as const;
const MISSING: LegValues = {
  buyPrice: "Enter the buy price.",
  buyDate: "Enter the buy date and time.",
  sellPrice: "Enter the sell price.",
  sellDate: "Enter the sell date and time.",
};

/** Returns true if the buy or the sell is completely empty; the position is then open. */
export function isLegEmpty(values: LegValues, leg: "buy" | "sell"): boolean {
  return LEGS[leg].every((field) => !values[field]);
}

/** Field of a leg, which may be empty. */
function legField<T extends v.GenericSchema<string, string>>(schema: T) {
  return v.lazy((value) => (value === "" ? v.string() : schema));
}

/** Returns the missing fields of the legs. One leg may be completely empty. */
function missingLegFields(values: LegValues): LegField[] {
  const empty = { buy: isLegEmpty(values, "buy"), sell: isLegEmpty(values, "sell") };
  const required = [
    ...(empty.buy && !empty.sell ? [] : LEGS.buy),
    ...(empty.sell && !empty.buy ? [] : LEGS.sell),
  ];
  return required.filter((field) => !values[field]);
}

/** Schema of an object with the fields of both legs, of which only their emptiness matters. */
const legValues = v.object({
  buyPrice: v.string(),
  buyDate: v.string(),
  sellPrice: v.string(),
  sellDate: v.string(),
});

/** Schema of a manual entry: a trade with its buy, its sell or both. All values are text. */
export const entrySchema = v.pipe(
  v.object({
    broker: v.pipe(v.string(), v.picklist(BROKER_VALUES, "Choose a broker.")),
    tradetype: v.pipe(v.string(), v.picklist(["equity", "fno"], "Choose a trade type.")),
    stockName: v.pipe(v.string(), v.trim(), stockNameLimit),
    symbol: v.pipe(symbolField, v.toUpperCase()),
    type: v.pipe(v.string(), v.picklist(["BUY", "SELL"], "Choose BUY or SELL.")),
    market: v.pipe(v.string(), v.picklist(["NSE", "BSE"], "Choose NSE or BSE.")),
    quantity: quantityField,
    buyPrice: legField(priceField("buy price")),
    buyDate: legField(timeField("buy date and time")),
    sellPrice: legField(priceField("sell price")),
    sellDate: legField(timeField("sell date and time")),
    notes: noteField("notes"),
    psychology: noteField("psychology"),
    marketOutlook: noteField("market outlook"),
    stopLoss: stopLossField,
  }),
  // Runs even if other fields are invalid, so that all missing fields are listed at once.
  v.rawCheck(({ dataset: { value }, addIssue }) => {
    const legs = v.safeParse(legValues, value);
    if (!legs.success) return;
    for (const key of missingLegFields(legs.output)) {
      const item = { type: "object", origin: "value", input: legs.output, key, value: "" } as const;
      addIssue({ message: MISSING[key], path: [item] });
    }
  }),
  v.forward(
    v.partialCheck(
      [["tradetype"], ["stockName"]],
      // The symbol of a contract says all.
      ({ tradetype, stockName }) => tradetype === "fno" || stockName !== "",
      "Enter the stock name.",
    ),
    ["stockName"],
  ),
  v.forward(
    v.partialCheck(
      [["type"], ["buyDate"], ["sellDate"]],
      ({ type, buyDate, sellDate }) => type !== "BUY" || !buyDate || !sellDate || sellDate >= buyDate,
      SELL_BEFORE_BUY,
    ),
    ["sellDate"],
  ),
  v.forward(
    v.partialCheck(
      [["type"], ["buyDate"], ["sellDate"]],
      ({ type, buyDate, sellDate }) => type !== "SELL" || !buyDate || !sellDate || buyDate >= sellDate,
      BUY_BEFORE_SELL,
    ),
    ["buyDate"],
  ),
  v.forward(
    v.partialCheck(
      [["type"], ["buyPrice"], ["stopLoss"]],
      ({ type, buyPrice, stopLoss }) =>
        type !== "BUY" || !stopLoss || !buyPrice || Number(stopLoss) < Number(buyPrice),
      "For a BUY trade, the stop loss must be below the buy price.",
    ),
    ["stopLoss"],
  ),
  v.forward(
    v.partialCheck(
      [["type"], ["sellPrice"], ["stopLoss"]],
      ({ type, sellPrice, stopLoss }) =>
        type !== "SELL" || !stopLoss || !sellPrice || Number(stopLoss) > Number(sellPrice),
      "For a SELL trade, the stop loss must be above the sell price.",
    ),
    ["stopLoss"],
  ),
  v.forward(
    v.partialCheck(
      [["type"], ["buyPrice"], ["sellPrice"], ["stopLoss"]],
      ({ type, buyPrice, sellPrice, stopLoss }) =>
        !stopLoss || (type === "BUY" ? buyPrice : sellPrice) !== "",
      "A stop loss belongs to the trade that opens the position. Fill in that trade, or clear the stop loss.",
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

/** Returns the values for the next entry: keeps the book, side, market and times, and clears all that belongs to one trade. */
export function afterEntry({ broker, tradetype, type, market, buyDate, sellDate }: EntryFields): EntryFields {
  return { ...NEW_ENTRY, broker, tradetype, type, market, buyDate, sellDate };
}
