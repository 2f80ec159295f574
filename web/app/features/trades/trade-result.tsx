import type { TradeResult } from "#features/trades/use-trade-results.ts";
import { Result } from "#ui/money.tsx";

export type TradeResultTextProps = {
  /** Null if the trade belongs to no position; undefined while it loads. */
  result: TradeResult | null | undefined;
};

/** Net P&L of the lots that a trade closed; a trade that only opens has none. */
export function TradeResultText({ result }: TradeResultTextProps) {
  if (result === undefined) return null;
  if (result === null) return <span className="text-ink-3">–</span>;
  if (result.net === undefined) return <span className="text-ink-3">opens</span>;
  return <Result value={result.net} />;
}
