import type { Attempt } from "#features/entry/entry-draft.ts";
import { type EntryFailure, refused, takenOut, unanswered } from "#features/entry/entry-failure.ts";
import type { Entry } from "#features/entry/entry-schema.ts";
import { api, retryAfter, type Schemas } from "#lib/api.ts";
import { fromTimeField } from "#lib/india-time.ts";

export type Saved =
  | { kind: "replaced"; changeId: string; removed: number; added: number }
  | { kind: "added" }
  | { kind: "failed"; failure: EntryFailure };

type Leg = "buy" | "sell";

/** The two trades of an entry, the buy first: a long trade and a short one differ in their times alone. */
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
  // It belongs to the leg that opens the trade.
  const stopLoss = entry.stopLoss ? { stopLoss: Number(entry.stopLoss) } : {};
  const [ofBuy, ofSell] = entry.type === "BUY" ? [stopLoss, {}] : [{}, stopLoss];
  return {
    buy: {
      ...shared,
      ...ofBuy,
      type: "buy",
      price: Number(entry.buyPrice),
      timestamp: fromTimeField(entry.buyDate),
    },
    sell: {
      ...shared,
      ...ofSell,
      type: "sell",
      price: Number(entry.sellPrice),
      timestamp: fromTimeField(entry.sellDate),
    },
  };
}

/** Stores an entry by one replace, or by two adds, the buy first. Both are checked. */
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
    if (!data) return { kind: "failed", failure: refused(error, "replace", retryAfter(response)) };
    const { changeId, removed, added } = data.replacement;
    return { kind: "replaced", changeId, removed, added };
  } catch (error) {
    console.warn(error);
    return { kind: "failed", failure: unanswered() };
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
      if (!data) return { kind: "failed", failure: refused(error, leg, retryAfter(response)) };
      if ("trade" in data && data.trade === null) return { kind: "failed", failure: takenOut() };
    } catch (error) {
      console.warn(error);
      return { kind: "failed", failure: unanswered() };
    }
  }
  return { kind: "added" };
}
