import type { Schemas } from "#lib/api.ts";

type Trade = Schemas["Trade"];

export type ManualEntry = { pairId: string; buy: Trade | undefined; sell: Trade | undefined };

/** Groups the two legs of each manual entry, in the order of the trades. */
export function manualEntries(trades: readonly Trade[]): ManualEntry[] {
  const entries = new Map<string, ManualEntry>();
  for (const trade of trades) {
    const { pairId } = trade;
    if (!pairId) continue;
    const entry = entries.get(pairId) ?? { pairId, buy: undefined, sell: undefined };
    entry[trade.type] = trade;
    entries.set(pairId, entry);
  }
  return Array.from(entries.values());
}

/** Returns "sell" for a short trade, which was sold first. */
export function entryType({ buy, sell }: ManualEntry): "buy" | "sell" {
  if (!buy) return "sell";
  return sell && sell.timestamp < buy.timestamp ? "sell" : "buy";
}

/** Returns the profit or loss in rupees; undefined if a leg is missing or the quantities differ after an edit. */
export function manualEntryResult({ buy, sell }: ManualEntry): number | undefined {
  if (!buy || !sell || buy.quantity !== sell.quantity) return undefined;
  return (Math.round(sell.value * 1e4) - Math.round(buy.value * 1e4)) / 1e4;
}
