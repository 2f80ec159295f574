import { useState } from "react";
import { saveLotSize } from "#features/strategy-entry/lot-sizes.ts";
import { planTrades, strategyBook } from "#features/strategy-entry/planned-trades.ts";
import { newStrategy, nextStrategy, type StrategyFields } from "#features/strategy-entry/strategy-fields.ts";
import {
  type FieldErrors,
  normalizeUnderlying,
  validateStrategy,
} from "#features/strategy-entry/strategy-validation.ts";
import { useSaveTrades } from "#features/strategy-entry/use-save-trades.ts";
import type { Book } from "#lib/books.ts";

export type StrategyEntryOptions = {
  email: string;
  /** Book whose account is selected at first. */
  book: Book;
  /** Called when trades were added, even if not all of them. */
  onAdded: () => void;
};

/** Strategy whose trades are all saved. */
export type AddedStrategy = { trades: number; book: Book };

const NO_ERRORS: FieldErrors = new Map();

/** Manages the form of a strategy and the tries to save it. */
export function useStrategyEntry({ email, book, onAdded }: StrategyEntryOptions) {
  const [initial, setInitial] = useState(() => newStrategy(toAccount(book)));
  const [fields, setFields] = useState(initial);
  // Time of the last submit. The fields are validated from then on.
  const [checkedAt, setCheckedAt] = useState<number>();
  const [tries, setTries] = useState(0);
  const [added, setAdded] = useState<AddedStrategy>();
  const saving = useSaveTrades(email, onAdded);
  const { progress, failure } = saving;
  const fieldErrors = checkedAt === undefined ? NO_ERRORS : validateStrategy(fields, checkedAt);
  // The server's message for a field is shown until the next try.
  const errors: FieldErrors = new Map([...fieldErrors, ...(failure?.fields ?? [])]);

  async function submit() {
    if (progress) return;
    const now = Date.now();
    setCheckedAt(now);
    saving.clearFailure();
    const target = strategyBook(fields);
    if (target && validateStrategy(fields, now).size === 0) {
      const trades = planTrades(fields);
      saveLotSize(email, normalizeUnderlying(fields.underlying), fields.lotSize);
      if (await saving.save(trades, target)) setAdded({ trades: trades.length, book: target });
    }
    setTries((count) => count + 1);
  }

  /** Starts the next strategy. */
  function restart() {
    const next = nextStrategy(fields);
    setInitial(next);
    setFields(next);
    setCheckedAt(undefined);
    setAdded(undefined);
    saving.reset();
  }

  function change(next: StrategyFields) {
    // The trades that are being sent must not change.
    if (!progress) setFields(next);
  }

  return {
    ...saving,
    email,
    fields,
    change,
    errors,
    submit,
    tries,
    added,
    restart,
    isDirty: !added && fields !== initial,
  };
}

export type StrategyEntry = ReturnType<typeof useStrategyEntry>;

function toAccount({ broker, brokerAccount = 1 }: Book): string {
  return brokerAccount === 1 ? broker : `${broker}-${brokerAccount}`;
}
