/** Digits with separators in the Indian (1,23,456) or the western style (123,456), then decimals. */
const GROUPED = /^(?:\d{1,2}(?:,\d{2})*,\d{3}|\d{1,3}(?:,\d{3})+)(?:\.\d*)?$/;

/**
 * Returns a typed number as plain figures: `123456.50` for `₹1,23,456.50` and `123,456.50`. Other texts keep their commas,
 * so that the check of the field rejects them.
 */
export function plainNumber(text: string): string {
  const figures = text.trim().replace(/^₹\s*/, "");
  return GROUPED.test(figures) ? figures.replaceAll(",", "") : figures;
}
