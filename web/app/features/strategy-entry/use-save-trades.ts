import { useState } from "react";
import { type PlannedTrade, type TradePart, tradeId } from "#features/strategy-entry/planned-trades.ts";
import { describeFailure, type SaveFailure } from "#features/strategy-entry/save-failure.ts";
import { IdempotencyKeys, saveTrades } from "#features/strategy-entry/save-trades.ts";
import type { LegFields } from "#features/strategy-entry/strategy-fields.ts";
import { addTrade } from "#lib/add-trade.ts";
import type { Book } from "#lib/books.ts";

/** Trades whose fields cannot be changed: they are saved, or may be. */
type Locks = {
  any: boolean;
  isLocked: (leg: LegFields, part: TradePart) => boolean;
  isSaved: (leg: LegFields, part: TradePart) => boolean;
};

export type SaveProgress = { saved: number; total: number };

const NO_TRADES: ReadonlySet<string> = new Set();

/** Saves the trades of a form, and keeps between the tries which of them are saved. */
export function useSaveTrades(email: string, onAdded: () => void) {
  const [keys] = useState(() => new IdempotencyKeys());
  const [saved, setSaved] = useState(NO_TRADES);
  // The trade of which the server did not say if it is saved.
  const [uncertain, setUncertain] = useState<string>();
  const [progress, setProgress] = useState<SaveProgress>();
  const [failure, setFailure] = useState<SaveFailure & { legIndex: number }>();

  /** Returns true if all trades are saved. */
  async function save(trades: readonly PlannedTrade[], book: Book): Promise<boolean> {
    const done = new Set(saved);
    setProgress({ saved: done.size, total: trades.length });
    const outcome = await saveTrades(trades, {
      saved,
      keys,
      add: (trade, key) => addTrade(email, book, trade, key),
      onSaved(id) {
        done.add(id);
        setSaved(new Set(done));
        setProgress({ saved: done.size, total: trades.length });
      },
    });
    setProgress(undefined);
    if (done.size > saved.size) onAdded();
    if (outcome.kind === "saved") return true;
    const { id, legIndex } = outcome.failed;
    const description = describeFailure(outcome);
    if (description.needsNewKey) keys.delete(id);
    setUncertain(description.maybeSaved ? id : undefined);
    setFailure({ ...description, legIndex });
    return false;
  }

  function reset() {
    setSaved(NO_TRADES);
    setUncertain(undefined);
    setFailure(undefined);
  }

  const isSaved = (leg: LegFields, part: TradePart) => saved.has(tradeId(leg, part));
  const locks: Locks = {
    any: saved.size > 0 || uncertain !== undefined,
    isSaved,
    isLocked: (leg, part) => isSaved(leg, part) || uncertain === tradeId(leg, part),
  };
  return {
    save,
    reset,
    locks,
    progress,
    failure,
    clearFailure: () => setFailure(undefined),
    savedCount: saved.size,
  };
}
