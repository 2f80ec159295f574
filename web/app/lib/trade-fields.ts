import * as v from "valibot";
import { fromTimeField } from "#lib/india-time.ts";

/** The fields of a trade as forms hold them, as text, and what the server takes in each. */

const DAY = 24 * 3_600_000;
const EARLIEST = Date.parse("1990-01-01T00:00:00+05:30");

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

/** `name` is what stands beside the trade: notes, psychology, market outlook. */
export function noteField(name: string) {
  return v.pipe(v.string(), v.trim(), v.maxLength(2_000, `Use at most 2,000 characters for the ${name}.`));
}

/** `name` as it stands in a sentence: price, buy price, sell price. */
export function priceField(name: string) {
  return v.pipe(
    v.string(),
    v.trim(),
    v.nonEmpty(`Enter the ${name}.`),
    v.regex(/^\d*\.?\d*$/, `Enter the ${name} in figures, such as 1421.30.`),
    v.regex(/^\d*(\.\d{0,4})?$/, "Use at most 4 decimals."),
    v.check((figures) => Number(figures) > 0, `Enter a ${name} above 0.`),
    v.check((figures) => Number(figures) < 1e11, "Enter a price below ₹1,00,00,00,00,000."),
  );
}

/** Where to get out at a loss; it may be left empty. */
export const stopLossField = v.pipe(
  v.string(),
  v.trim(),
  v.regex(/^\d*\.?\d*$/, "Enter the stop loss in figures, such as 1421.30."),
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

/** `name` as it stands in a sentence: date and time, buy date and time. */
export function timeField(name: string) {
  return v.pipe(
    v.string(),
    v.check((field) => fromTimeField(field) !== "", `Enter the ${name}.`),
    v.check((field) => Date.parse(fromTimeField(field)) >= EARLIEST, "Enter a time from 1990 on."),
    v.check((field) => Date.parse(fromTimeField(field)) <= Date.now() + DAY, "This time is still to come."),
  );
}
