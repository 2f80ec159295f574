import type { Strategy, StrategyDecision, StrategyLeg } from "#features/analytics/analytics-api.ts";
import { tradeName } from "#lib/contract.ts";
import { units } from "#lib/format.ts";

/** Leg of a strategy in a split; the parts of a position are one leg. */
export type SplitLeg = Pick<StrategyLeg, "positionId" | "side" | "quantity"> & { name: string };

/** Quantities to move as typed, by position. */
export type SplitInput = Readonly<Record<string, string>>;

export type SplitRow = SplitLeg & {
  moved: number;
  kept: number;
  /** Error of the typed quantity; empty if it is valid. */
  error: string;
};

/** Returns the legs of a strategy, one for each position. */
export function listSplitLegs({ legs }: Pick<Strategy, "legs">): readonly SplitLeg[] {
  const byPosition = new Map<string, SplitLeg>();
  for (const leg of legs) {
    const { positionId, side } = leg;
    const quantity = round((byPosition.get(positionId)?.quantity ?? 0) + leg.quantity);
    byPosition.set(positionId, { positionId, side, quantity, name: tradeName(leg) });
  }
  return [...byPosition.values()];
}

/** Returns true if a part of the strategy can be moved to another one. */
export function canSplit(strategy: Pick<Strategy, "legs">): boolean {
  const [first, ...rest] = listSplitLegs(strategy);
  return first !== undefined && (rest.length > 0 || first.quantity > 1);
}

/** Returns what moves and stays of each leg. */
export function splitRows(legs: readonly SplitLeg[], input: SplitInput): readonly SplitRow[] {
  return legs.map((leg) => {
    const typed = Number(input[leg.positionId] || "0");
    // Contracts and shares are whole; only crypto has fractions.
    const isWhole = Number.isInteger(leg.quantity);
    const isValid =
      typed >= 0 && typed <= leg.quantity && (isWhole ? Number.isInteger(typed) : round(typed) === typed);
    const moved = isValid ? typed : 0;
    const error = `Enter a ${isWhole ? "whole " : ""}number from 0 to ${units(leg.quantity)}.`;
    return { ...leg, moved, kept: round(leg.quantity - moved), error: isValid ? "" : error };
  });
}

/** Returns the error of a split: something must move, and something must stay. Empty if it is valid. */
export function splitError(rows: readonly SplitRow[]): string {
  if (rows.some(({ error }) => error)) return "Correct the marked quantity first.";
  if (rows.every(({ moved }) => moved === 0)) return "Enter a quantity to move of at least one leg.";
  if (rows.every(({ kept }) => kept === 0)) return "Leave a part of at least one leg in this strategy.";
  return "";
}

export function splitDecision(rows: readonly SplitRow[]): StrategyDecision {
  const moved = rows.filter((row) => row.moved > 0);
  return {
    action: "split",
    legs: moved.map(({ positionId, moved: quantity }) => ({ positionId, quantity })),
  };
}

/** Rounds to the six decimals that the server stores. */
function round(quantity: number): number {
  return Math.round(quantity * 1e6) / 1e6;
}
