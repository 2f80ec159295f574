import { brokerName } from "#content/books.ts";
import type { Schemas } from "#lib/api.ts";
import { count, date, inrPrice } from "#lib/format.ts";

/** An entry as a sentence: "INFY split, 5 new shares for 1 old, on 20 Jun 2025". */
export function adjustmentWords(entry: Schemas["Adjustment"]): string {
  const on = date(entry.date);
  const ratio = `${count(entry.newShares ?? 0)} new shares for ${count(entry.oldShares ?? 0)}`;
  const price = inrPrice(entry.price ?? 0);
  switch (entry.kind) {
    case "split":
      return `${entry.symbol} split, ${ratio} old, on ${on}`;
    case "bonus":
      return `${entry.symbol} bonus, ${ratio} held, on ${on}`;
    case "rename":
      return `${entry.symbol} became ${entry.newSymbol ?? ""} on ${on}`;
    case "settlement":
      return `${entry.symbol} settled at ${price} on ${on}`;
    case "opening":
      return `${count(entry.quantity ?? 0)} ${entry.symbol} held at ${brokerName(entry.broker ?? "zerodha")} since ${on}, bought for ${price} each`;
  }
}
