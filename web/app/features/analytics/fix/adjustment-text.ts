import { type Issue, KIND_NAMES } from "#features/analytics/fix/fix-texts.ts";
import type { Schemas } from "#lib/api.ts";
import { brokerAccountName } from "#lib/books.ts";
import { count, date, inrPrice } from "#lib/format.ts";

/** Describes an entry in a sentence: "INFY split, 5 new shares for 1 old, on 20 Jun 2025". */
export function adjustmentText(entry: Schemas["Adjustment"]): string {
  const on = date(entry.date);
  const ratio = `${count(entry.newShares ?? 0)} new shares for ${count(entry.oldShares ?? 0)}`;
  const price = inrPrice(entry.price ?? 0);
  const other = entry.newSymbol ?? "";
  const shares = count(entry.quantity ?? 0);
  const atBroker = `at ${brokerAccountName({ ...entry, broker: entry.broker ?? "zerodha" })}`;
  switch (entry.kind) {
    case "split":
      return `${entry.symbol} split, ${ratio} old, on ${on}`;
    case "bonus":
      return `${entry.symbol} bonus, ${ratio} held, on ${on}`;
    case "rename":
      return `${entry.symbol} became ${other} on ${on}`;
    case "merger":
      return `${entry.symbol} merged into ${other}, ${ratio} old, on ${on}`;
    case "demerger":
      return `${other} demerged from ${entry.symbol}, ${ratio} held, ${entry.costPercent ?? 0}% of the cost, on ${on}`;
    case "rights":
      return `${shares} ${entry.symbol} bought in a rights issue ${atBroker} on ${on}, at ${price} each`;
    case "buyback":
      return `${shares} ${entry.symbol} bought back ${atBroker} on ${on}, at ${price} each`;
    case "capitalReturn":
      return `${entry.symbol} returned capital of ${price} per share on ${on}`;
    case "fractionPayment":
      return `${price} received for a fraction of ${entry.symbol} ${atBroker} on ${on}`;
    case "contractAdjustment":
      return `${entry.symbol} adjusted by the exchange on ${on}${other && `, now ${other}`}`;
    case "settlement":
      return `${entry.symbol} settled at ${price} on ${on}`;
    case "opening":
      return `${shares} ${entry.symbol} held ${atBroker} since ${on}, bought at ${price} each`;
    case "fairValue":
      return `${entry.symbol} had a highest price of ${price} on ${on}`;
    case "noAction":
      return `${entry.symbol} had no corporate action around ${on}`;
    case "dismissal": {
      const [kind = "", , ...subject] = entry.symbol.split(":");
      // The subject of an odd price is the id of a trade.
      const name = kind === "oddPrice" ? `of ${on}` : subject.join(" ");
      return `${isKind(kind) ? KIND_NAMES[kind] : "Issue"} ${name}: kept as it is`;
    }
  }
}

function isKind(text: string): text is Issue["kind"] {
  return Object.hasOwn(KIND_NAMES, text);
}
