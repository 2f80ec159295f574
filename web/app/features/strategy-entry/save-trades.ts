import type { PlannedTrade } from "#features/strategy-entry/planned-trades.ts";
import type { AddResult, NewTrade } from "#lib/add-trade.ts";

type Failure = Exclude<AddResult, { kind: "added" }>;

export type SaveOutcome = { kind: "saved" } | { kind: "failed"; failed: PlannedTrade; result: Failure };

export type SaveOptions = {
  /** Ids of the trades that an earlier try added. */
  saved: ReadonlySet<string>;
  keys: IdempotencyKeys;
  add: (trade: NewTrade, key: string) => Promise<AddResult>;
  onSaved: (id: string) => void;
};

/** Adds the trades that are not saved yet, one after the other, up to the first failure. */
export async function saveTrades(
  trades: readonly PlannedTrade[],
  { saved, keys, add, onSaved }: SaveOptions,
): Promise<SaveOutcome> {
  for (const planned of trades) {
    if (saved.has(planned.id)) continue;
    const result = await add(planned.trade, keys.get(planned.id));
    if (result.kind !== "added") return { kind: "failed", failed: planned, result };
    onSaved(planned.id);
  }
  return { kind: "saved" };
}

/** Idempotency keys of the trades of one form. All tries to add a trade have the same key, so that it is added once. */
export class IdempotencyKeys {
  readonly #keys = new Map<string, string>();

  get(tradeId: string): string {
    const key = this.#keys.get(tradeId) ?? crypto.randomUUID();
    this.#keys.set(tradeId, key);
    return key;
  }

  /** Forgets the key of a trade, so that the next try adds it again. */
  delete(tradeId: string): void {
    this.#keys.delete(tradeId);
  }
}
