import type { Strategy } from "#features/analytics/analytics-api.ts";
import { Result } from "#ui/money.tsx";

/** Net result of the closed part; a strategy without any exit has none yet. */
export function NetResult(strategy: Strategy) {
  if (!hasExit(strategy)) return <span className="text-ink-3">No exit yet</span>;
  return <Result value={strategy.net} />;
}

/** Returns true if a part of the strategy is closed, so that it has a result. */
export function hasExit({ state, legs }: Strategy): boolean {
  return state === "closed" || legs.some(({ exitPrice }) => exitPrice !== null);
}
