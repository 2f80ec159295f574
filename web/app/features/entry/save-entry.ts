import type { Attempt } from "#features/entry/entry-draft.ts";
import {
  deletedFailure,
  type EntryFailure,
  noResponseFailure,
  rejectedFailure,
} from "#features/entry/entry-failure.ts";
import { type Entry, isLegEmpty } from "#features/entry/entry-schema.ts";
import { type AddResult, addTrade, type NewTrade as Trade } from "#lib/add-trade.ts";
import { api, retryAfter } from "#lib/api.ts";
import { fromTimeField } from "#lib/india-time.ts";

export type Saved =
  | { kind: "replaced"; changeId: string; removed: number; added: number }
  | { kind: "added" }
  | { kind: "failed"; failure: EntryFailure };

type Leg = "buy" | "sell";

/**
 * Returns the trades of an entry, the buy first; one only if the position is open. Long and short trades differ only in
 * their times and in the stop loss.
 */
export function legs(entry: Entry, pairId: string): Trade[] {
  const { broker, tradetype, symbol, stockName, notes, psychology, marketOutlook } = entry;
  const shared = {
    symbol,
    quantity: Number(entry.quantity),
    broker,
    tradetype,
    exchange: entry.market,
    ...(stockName && { stockName }),
    ...(notes && { notes }),
    ...(psychology && { psychology }),
    ...(marketOutlook && { marketOutlook }),
    pairId,
  };
  // The stop loss belongs to the opening leg.
  const stopLoss = entry.stopLoss ? { stopLoss: Number(entry.stopLoss) } : {};
  const [buyStopLoss, sellStopLoss] = entry.type === "BUY" ? [stopLoss, {}] : [{}, stopLoss];
  const buy: Trade = {
    ...shared,
    ...buyStopLoss,
    type: "buy",
    price: Number(entry.buyPrice),
    timestamp: fromTimeField(entry.buyDate),
  };
  const sell: Trade = {
    ...shared,
    ...sellStopLoss,
    type: "sell",
    price: Number(entry.sellPrice),
    timestamp: fromTimeField(entry.sellDate),
  };
  return [buy, sell].filter(({ type }) => !isLegEmpty(entry, type));
}

/** Saves an entry by one replace, or by an add per leg, the buy first. Checks every response. */
export async function saveEntry(email: string, entry: Entry, attempt: Attempt): Promise<Saved> {
  const saved = await (attempt.mode === "replace" ? replace : append)(email, entry, attempt);
  if (saved.kind === "failed") {
    console.error(attempt.mode === "replace" ? "Failed to replace trades." : "Failed to add trades.");
  }
  return saved;
}

async function replace(email: string, entry: Entry, attempt: Attempt): Promise<Saved> {
  const { broker, tradetype } = entry;
  const trades = legs(entry, attempt.pairId);
  try {
    const { data, error, response } = await api.POST("/trades/replace", {
      params: { header: { Prefer: "return=minimal", "Idempotency-Key": attempt.buyKey } },
      body: { email, broker, tradetype, trades },
    });
    if (!data)
      return { kind: "failed", failure: rejectedFailure(error, sides(trades), retryAfter(response)) };
    const { changeId, removed, added } = data.replacement;
    return { kind: "replaced", changeId, removed, added };
  } catch (error) {
    console.warn(error);
    return { kind: "failed", failure: noResponseFailure() };
  }
}

async function append(email: string, entry: Entry, attempt: Attempt): Promise<Saved> {
  const { broker, tradetype } = entry;
  const trades = legs(entry, attempt.pairId);
  const keys: Record<Leg, string> = { buy: attempt.buyKey, sell: attempt.sellKey };
  for (const [index, trade] of trades.entries()) {
    const result = await addTrade(email, { broker, tradetype }, trade, keys[trade.type]);
    if (result.kind === "added") continue;
    return { kind: "failed", failure: addFailure(result, trade, index > 0) };
  }
  return { kind: "added" };
}

function addFailure(
  result: Exclude<AddResult, { kind: "added" }>,
  { type }: Trade,
  buySaved: boolean,
): EntryFailure {
  if (result.kind === "rejected") return rejectedFailure(result.error, [type], result.seconds, buySaved);
  return result.kind === "deleted" ? deletedFailure() : noResponseFailure();
}

function sides(trades: readonly Trade[]): Leg[] {
  return trades.map(({ type }) => type);
}
