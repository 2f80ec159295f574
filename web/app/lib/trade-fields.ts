import * as v from "valibot";
import { fromTimeField } from "#lib/india-time.ts";

// Validation of trade fields as form values (text), with the limits of the server.

const DAY_MS = 24 * 3_600_000;
const MIN_TIME_MS = Date.parse("1990-01-01T00:00:00+05:30");

export const stockNameLimit = v.maxLength<string, 100, string>(
  100,
  "Use at most 100 characters for the stock name.",
);

export const symbolField = v.pipe(
  v.string(),
  v.trim(),
  v.nonEmpty("Enter the symbol."),
  v.maxLength(64, "Use at most 64 characters for the symbol."),
);

/** `name` is the field as in a sentence: notes, psychology, market outlook. */
export function noteField(name: string) {
  return v.pipe(v.string(), v.trim(), v.maxLength(2_000, `Use at most 2,000 characters for the ${name}.`));
}

/** `name` is the field as in a sentence: price, buy price, sell price. */
export function priceField(name: string) {
  return v.pipe(
    v.string(),
    v.trim(),
    v.nonEmpty(`Enter the ${name}.`),
    v.regex(/^\d*\.?\d*$/, `Enter the ${name} as a number, such as 1421.30.`),
    v.regex(/^\d*(\.\d{0,4})?$/, "Use at most 4 decimals."),
    v.check((figures) => Number(figures) > 0, `Enter a ${name} above 0.`),
    v.check((figures) => Number(figures) < 1e11, "Enter a price below ₹1,00,00,00,00,000."),
  );
}

/** Optional stop loss. */
export const stopLossField = v.pipe(
  v.string(),
  v.trim(),
  v.regex(/^\d*\.?\d*$/, "Enter the stop loss as a number, such as 1421.30."),
  v.regex(/^\d*(\.\d{0,4})?$/, "Use at most 4 decimals."),
  v.check((figures) => figures === "" || Number(figures) > 0, "Enter a stop loss above 0."),
  v.check((figures) => Number(figures) < 1e11, "Enter a price below ₹1,00,00,00,00,000."),
);

export const quantityField = v.pipe(
  v.string(),
  v.trim(),
  v.nonEmpty("Enter the quantity."),
  v.regex(/^\d+$/, "Enter a whole quantity, such as 50."),
  v.check((figures) => Number(figures) > 0, "Enter a quantity above 0."),
  v.check((figures) => Number(figures) < 1e9, "Enter a quantity below 1,00,00,00,000."),
);

/** `name` is the field as in a sentence: date and time, buy date and time. */
export function timeField(name: string) {
  return v.pipe(
    v.string(),
    v.check((field) => fromTimeField(field) !== "", `Enter the ${name}.`),
    v.check((field) => Date.parse(fromTimeField(field)) >= MIN_TIME_MS, "Enter a time in 1990 or later."),
    v.check(
      (field) => Date.parse(fromTimeField(field)) <= Date.now() + DAY_MS,
      "This time is in the future.",
    ),
  );
}
