import type { Attempt } from "#features/entry/entry-draft.ts";
import {
  deletedFailure,
  type EntryFailure,
  noResponseFailure,
  rejectedFailure,
} from "#features/entry/entry-failure.ts";
import type { Entry } from "#features/entry/entry-schema.ts";
import { api, retryAfter, type Schemas } from "#lib/api.ts";
import { fromTimeField } from "#lib/india-time.ts";

export type Saved =
  | { kind: "replaced"; changeId: string; removed: number; added: number }
  | { kind: "added" }
  | { kind: "failed"; failure: EntryFailure };

type Leg = "buy" | "sell";

/** Returns the two trades of an entry. Long and short trades differ only in their times and in the stop loss. */
export function legs(entry: Entry, pairId: string): Record<Leg, Schemas["NewTrade"]> {
  const { broker, tradetype, symbol, stockName, notes, psychology, marketOutlook } = entry;
  const shared = {
    symbol,
    quantity: Number(entry.quantity),
    broker,
    tradetype,
    exchange: entry.market,
    stockName,
    ...(notes && { notes }),
    ...(psychology && { psychology }),
    ...(marketOutlook && { marketOutlook }),
    pairId,
  };
  // The stop loss belongs to the opening leg.
  const stopLoss = entry.stopLoss ? { stopLoss: Number(entry.stopLoss) } : {};
  const [buyStopLoss, sellStopLoss] = entry.type === "BUY" ? [stopLoss, {}] : [{}, stopLoss];
  return {
    buy: {
      ...shared,
      ...buyStopLoss,
      type: "buy",
      price: Number(entry.buyPrice),
      timestamp: fromTimeField(entry.buyDate),
    },
    sell: {
      ...shared,
      ...sellStopLoss,
      type: "sell",
      price: Number(entry.sellPrice),
      timestamp: fromTimeField(entry.sellDate),
    },
  };
}

/** Saves an entry by one replace, or by two adds, the buy first. Checks both responses. */
export async function saveEntry(email: string, entry: Entry, attempt: Attempt): Promise<Saved> {
  const saved = await (attempt.mode === "replace" ? replace : append)(email, entry, attempt);
  if (saved.kind === "failed") {
    console.error(attempt.mode === "replace" ? "Failed to replace trades." : "Failed to add trades.");
  }
  return saved;
}

async function replace(email: string, entry: Entry, attempt: Attempt): Promise<Saved> {
  const { broker, tradetype } = entry;
  const { buy, sell } = legs(entry, attempt.pairId);
  try {
    const { data, error, response } = await api.POST("/trades/replace", {
      params: { header: { Prefer: "return=minimal", "Idempotency-Key": attempt.buyKey } },
      body: { email, broker, tradetype, trades: [buy, sell] },
    });
    if (!data) return { kind: "failed", failure: rejectedFailure(error, "replace", retryAfter(response)) };
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
  const keys = { buy: attempt.buyKey, sell: attempt.sellKey };
  for (const leg of ["buy", "sell"] as const) {
    try {
      const { data, error, response } = await api.POST("/trades/add", {
        params: { header: { Prefer: "return=minimal", "Idempotency-Key": keys[leg] } },
        body: { email, broker, tradetype, trade: trades[leg] },
      });
      if (!data) return { kind: "failed", failure: rejectedFailure(error, leg, retryAfter(response)) };
      if ("trade" in data && data.trade === null) return { kind: "failed", failure: deletedFailure() };
    } catch (error) {
      console.warn(error);
      return { kind: "failed", failure: noResponseFailure() };
    }
  }
  return { kind: "added" };
}
