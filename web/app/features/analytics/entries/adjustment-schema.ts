import * as v from "valibot";
import type { Schemas } from "#lib/api.ts";
import { day } from "#lib/period.ts";
import { quantityField, symbolField } from "#lib/trade-fields.ts";

export type NewAdjustment = Schemas["NewAdjustment"];
export type Kind = Schemas["AdjustmentKind"];

export const KINDS: readonly { value: Kind; label: string }[] = [
  { value: "split", label: "Split" },
  { value: "bonus", label: "Bonus" },
  { value: "rename", label: "New symbol" },
  { value: "settlement", label: "Settlement of a contract" },
  { value: "opening", label: "Shares held from before" },
];

/** Everything is text, as the fields hold it. */
export type AdjustmentFields = Record<AdjustmentField, string>;

export const ADJUSTMENT_FIELDS = [
  "kind",
  "symbol",
  "date",
  "broker",
  "newShares",
  "oldShares",
  "newSymbol",
  "quantity",
  "price",
] as const;

export type AdjustmentField = (typeof ADJUSTMENT_FIELDS)[number];

function sharesField(words: string) {
  return v.pipe(
    v.string(),
    v.trim(),
    v.nonEmpty(`Enter ${words}.`),
    v.regex(/^\d+$/, "Enter a whole number, such as 5."),
    v.transform(Number),
    v.minValue(1, "Enter at least 1."),
    v.maxValue(10_000, "Enter at most 10,000."),
  );
}

/** Nothing is a price, too: an option may settle at 0, shares may have cost nothing. */
const anyPrice = v.pipe(
  v.string(),
  v.trim(),
  v.nonEmpty("Enter the price."),
  v.regex(/^(\d+\.?|\d*\.\d{1,4})$/, "Enter the price in figures, at most 4 decimals, such as 142.35."),
  v.transform(Number),
  v.check((price) => price < 1e11, "Enter a price below ₹1,00,00,00,00,000."),
);

/** What each kind asks for, besides symbol and day. */
const PARTS = {
  newShares: sharesField("the number of new shares"),
  oldShares: sharesField("the number of old shares"),
  newSymbol: v.pipe(symbolField, v.toUpperCase()),
  broker: v.picklist(["zerodha", "groww"], "Choose a broker."),
  quantity: v.pipe(quantityField, v.transform(Number)),
  price: anyPrice,
} as const;

export const ASKED: Readonly<Record<Kind, readonly (keyof typeof PARTS)[]>> = {
  split: ["newShares", "oldShares"],
  bonus: ["newShares", "oldShares"],
  rename: ["newSymbol"],
  settlement: ["price"],
  opening: ["broker", "quantity", "price"],
};

const fields = v.object({
  kind: v.picklist(["split", "bonus", "rename", "settlement", "opening"], "Choose what happened."),
  symbol: v.pipe(symbolField, v.toUpperCase()),
  date: v.pipe(
    v.string(),
    v.check((text) => day(text) !== "", "Enter the day."),
  ),
  broker: v.string(),
  newShares: v.string(),
  oldShares: v.string(),
  newSymbol: v.string(),
  quantity: v.string(),
  price: v.string(),
});

/** The fields of the kind that was chosen, as the server takes them. */
export const adjustmentSchema = v.pipe(
  fields,
  v.rawTransform<v.InferOutput<typeof fields>, NewAdjustment>(({ dataset: { value }, addIssue, NEVER }) => {
    const { kind, symbol, date } = value;
    const parts: Record<string, unknown> = {};
    let sound = true;
    for (const key of ASKED[kind]) {
      const part = v.safeParse(PARTS[key], value[key]);
      if (part.success) parts[key] = part.output;
      else {
        sound = false;
        const path = [{ type: "object", origin: "value", input: value, key, value: value[key] }] as const;
        addIssue({ message: part.issues[0].message, path: [...path] });
      }
    }
    return sound ? { kind, symbol, date, ...parts } : NEVER;
  }),
);

/** What is known already stands in the fields. */
export function toFields(draft: Partial<NewAdjustment>): AdjustmentFields {
  const text = (value: string | number | undefined) => (value === undefined ? "" : String(value));
  return {
    kind: draft.kind ?? "split",
    symbol: text(draft.symbol),
    date: text(draft.date),
    broker: text(draft.broker),
    newShares: text(draft.newShares),
    oldShares: text(draft.oldShares),
    newSymbol: text(draft.newSymbol),
    quantity: text(draft.quantity),
    price: text(draft.price),
  };
}
