import * as v from "valibot";
import { priceField, symbolField, timeField } from "#lib/trade-fields.ts";

/** Unlike the quantities of the trade log, these can be fractions, for crypto. */
const quantityField = v.pipe(
  v.string(),
  v.trim(),
  v.nonEmpty("Enter the quantity."),
  v.regex(/^\d*\.?\d*$/, "Enter the quantity as a number, such as 50 or 0.025."),
  v.regex(/^\d*(\.\d{0,6})?$/, "Use at most 6 decimals."),
  v.check((figures) => Number(figures) > 0, "Enter a quantity above 0."),
  v.check((figures) => Number(figures) < 1e9, "Enter a quantity below 1,00,00,00,000."),
);

/** A journal trade as form values: every field is text and required. */
export const entrySchema = v.object({
  symbol: v.pipe(symbolField, v.toUpperCase()),
  quantity: quantityField,
  buyPrice: priceField("buy price"),
  sellPrice: priceField("sell price"),
  targetPrice: priceField("target price"),
  stopLoss: priceField("stop loss"),
  buyDateTime: timeField("buy date and time"),
  sellDateTime: timeField("sell date and time"),
});

export type EntryFields = v.InferInput<typeof entrySchema>;
/** An entry that passed validation. */
export type ValidEntry = v.InferOutput<typeof entrySchema>;
export type EntryField = keyof EntryFields;

export const EMPTY: EntryFields = {
  symbol: "",
  quantity: "",
  buyPrice: "",
  sellPrice: "",
  targetPrice: "",
  stopLoss: "",
  buyDateTime: "",
  sellDateTime: "",
};

/** Field names in the order of the form. */
export const ENTRY_FIELDS: readonly EntryField[] = [
  "symbol",
  "quantity",
  "buyPrice",
  "sellPrice",
  "targetPrice",
  "stopLoss",
  "buyDateTime",
  "sellDateTime",
];

export function isEntryField(name: string): name is EntryField {
  return name in EMPTY;
}
