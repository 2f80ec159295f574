import * as v from "valibot";
import type { Schemas } from "#lib/api.ts";
import { BROKER_VALUES } from "#lib/books.ts";
import { parseDate } from "#lib/period.ts";
import { quantityField, symbolField } from "#lib/trade-fields.ts";
import { plainNumber } from "#lib/typed-number.ts";

/** Corporate action, contract settlement or opening holding; the API calls all of them adjustments. */
export type NewCorporateAction = Schemas["NewAdjustment"];
export type Kind = Schemas["AdjustmentKind"];

/**
 * Kinds in the form. A dismissed proposal (`noAction`) and a price of 31 January 2018 (`fairValue`) are answers to data
 * issues.
 */
export const KINDS: readonly { value: Kind; label: string }[] = [
  { value: "split", label: "Split" },
  { value: "bonus", label: "Bonus" },
  { value: "merger", label: "Merger" },
  { value: "demerger", label: "Demerger" },
  { value: "rename", label: "Symbol change" },
  { value: "rights", label: "Rights issue" },
  { value: "buyback", label: "Buyback" },
  { value: "capitalReturn", label: "Capital return" },
  { value: "fractionPayment", label: "Payment for a fraction" },
  { value: "contractAdjustment", label: "Contract adjustment" },
  { value: "settlement", label: "Contract settlement" },
  { value: "opening", label: "Opening holdings" },
];

/** Values of the form, as text. */
export type CorporateActionFields = Record<CorporateActionField, string>;

export const CORPORATE_ACTION_FIELDS = [
  "kind",
  "symbol",
  "date",
  "broker",
  "newShares",
  "oldShares",
  "newSymbol",
  "quantity",
  "price",
  "allottedOn",
  "costPercent",
] as const;

export type CorporateActionField = (typeof CORPORATE_ACTION_FIELDS)[number];

/** Number as text, typed with or without separators. */
const figures = v.pipe(v.string(), v.transform(plainNumber));

function sharesField(name: string) {
  return v.pipe(
    figures,
    v.nonEmpty(`Enter the number of ${name}.`),
    v.regex(/^\d+$/, "Enter a whole number, such as 5."),
    v.transform(Number),
    v.minValue(1, "Enter at least 1."),
    v.maxValue(10_000, "Enter at most 10,000."),
  );
}

/** Price that may be 0: an option may settle at 0, and shares may have cost nothing. */
const anyPrice = v.pipe(
  figures,
  v.nonEmpty("Enter the price."),
  v.regex(/^(\d+\.?|\d*\.\d{1,4})$/, "Enter the price in figures, at most 4 decimals, such as 142.35."),
  v.transform(Number),
  v.check((price) => price < 1e11, "Enter a price below ₹1,00,00,00,00,000."),
);

const percent = v.pipe(
  v.string(),
  v.trim(),
  v.nonEmpty("Enter the percentage."),
  v.regex(/^(\d+\.?|\d*\.\d{1,4})$/, "Enter the percentage in figures, such as 13.51."),
  v.transform(Number),
  v.check((value) => value > 0 && value < 100, "Enter a percentage above 0 and below 100."),
);

const anyDate = v.pipe(
  v.string(),
  v.check((text) => parseDate(text) !== "", "Enter the date."),
);

/** Schemas of the fields that only some kinds have, after those of all kinds. */
const FIELD_SCHEMAS = {
  symbol: v.pipe(symbolField, v.toUpperCase()),
  date: anyDate,
  newShares: sharesField("new shares"),
  oldShares: sharesField("old shares"),
  newSymbol: v.pipe(symbolField, v.toUpperCase()),
  broker: v.picklist(BROKER_VALUES, "Choose a broker."),
  quantity: v.pipe(figures, quantityField, v.transform(Number)),
  price: anyPrice,
  allottedOn: anyDate,
  costPercent: percent,
} as const;

type OptionalField = keyof typeof FIELD_SCHEMAS;

/** Fields of each kind besides symbol and date. */
export const FIELDS_OF_KIND: Readonly<Record<Kind, readonly OptionalField[]>> = {
  split: ["newShares", "oldShares"],
  bonus: ["newShares", "oldShares", "allottedOn"],
  merger: ["newSymbol", "newShares", "oldShares", "price"],
  demerger: ["newSymbol", "newShares", "oldShares", "costPercent"],
  rename: ["newSymbol"],
  rights: ["broker", "quantity", "price"],
  buyback: ["broker", "quantity", "price"],
  capitalReturn: ["price"],
  fractionPayment: ["broker", "price"],
  contractAdjustment: ["newSymbol", "newShares", "oldShares", "price"],
  settlement: ["price"],
  opening: ["broker", "quantity", "price"],
  fairValue: ["price"],
  noAction: [],
};

/** Fields of each kind that may be empty. */
const OPTIONAL_FIELDS: Readonly<Partial<Record<Kind, readonly OptionalField[]>>> = {
  bonus: ["allottedOn"],
  merger: ["price"],
  contractAdjustment: ["newSymbol", "price"],
};

export function isOptional(kind: Kind, field: OptionalField): boolean {
  return OPTIONAL_FIELDS[kind]?.includes(field) ?? false;
}

const KIND_NAMES = Object.keys(FIELDS_OF_KIND) as [Kind, ...Kind[]];

const fields = v.object({
  kind: v.picklist(KIND_NAMES, "Choose the type."),
  symbol: v.string(),
  date: v.string(),
  broker: v.string(),
  newShares: v.string(),
  oldShares: v.string(),
  newSymbol: v.string(),
  quantity: v.string(),
  price: v.string(),
  allottedOn: v.string(),
  costPercent: v.string(),
});

/** Validates the fields of the chosen kind, all at once, and converts them to the request body. */
export const corporateActionSchema = v.pipe(
  fields,
  v.rawTransform<v.InferOutput<typeof fields>, NewCorporateAction>(
    ({ dataset: { value }, addIssue, NEVER }) => {
      const { kind } = value;
      const checked: Record<string, unknown> = {};
      let valid = true;
      for (const key of ["symbol", "date", ...FIELDS_OF_KIND[kind]] as const) {
        if (isOptional(kind, key) && value[key].trim() === "") continue;
        const result = v.safeParse(FIELD_SCHEMAS[key], value[key]);
        if (result.success) checked[key] = result.output;
        else {
          valid = false;
          const path = [{ type: "object", origin: "value", input: value, key, value: value[key] }] as const;
          addIssue({ message: result.issues[0].message, path: [...path] });
        }
      }
      return valid ? { kind, symbol: value.symbol, date: value.date, ...checked } : NEVER;
    },
  ),
);

/** Values with which the form opens. */
export const NO_FIELDS: CorporateActionFields = {
  kind: "split",
  symbol: "",
  date: "",
  broker: "",
  newShares: "",
  oldShares: "",
  newSymbol: "",
  quantity: "",
  price: "",
  allottedOn: "",
  costPercent: "",
};
