import type { EntryContent } from "#features/trader-journal/journal-entry.ts";
import type { Strategy } from "#features/trader-journal/journal-subject.ts";
import type { Position } from "#features/trader-journal/position-facts.ts";

type Plan = Pick<EntryContent, "plannedEntry" | "plannedStop" | "plannedTarget" | "plannedRisk">;
type Result = Pick<
  Position,
  "side" | "quantity" | "openQuantity" | "entryPrice" | "exitPrice" | "net" | "closedTrades"
>;

export type PlanOutcome = {
  /** Planned gain at the target divided by the planned loss at the stop loss. */
  targetR: number | undefined;
  /** Part of the planned move from entry to target that the average prices made; negative against the plan. */
  movedPart: number | undefined;
  /** Net result divided by the planned risk. */
  resultR: number | undefined;
  /** Fields of prices on the wrong side of the entry. */
  misplaced: ("plannedStop" | "plannedTarget")[];
};

/** Compares the plan of a position with its result. Results count only closed positions. */
export function planOutcome(plan: Plan, position: Result): PlanOutcome {
  const { plannedStop: stop, plannedTarget: target } = plan;
  const direction = position.side === "long" ? 1 : -1;
  const entry = plan.plannedEntry ?? position.entryPrice;
  const riskPerUnit = stop === null ? undefined : direction * (entry - stop);
  const gainPerUnit = target === null ? undefined : direction * (target - entry);
  const hasRisk = riskPerUnit !== undefined && riskPerUnit > 0;
  const hasGain = gainPerUnit !== undefined && gainPerUnit > 0;
  const isClosed = position.openQuantity === 0 && position.closedTrades > 0;
  const risk = plan.plannedRisk ?? (hasRisk ? riskPerUnit * position.quantity : undefined);
  const moved =
    position.exitPrice === null ? undefined : direction * (position.exitPrice - position.entryPrice);
  return {
    targetR: hasRisk && hasGain ? gainPerUnit / riskPerUnit : undefined,
    movedPart: isClosed && hasGain && moved !== undefined ? moved / gainPerUnit : undefined,
    resultR: isClosed && risk ? position.net / risk : undefined,
    misplaced: [
      ...(riskPerUnit !== undefined && !hasRisk ? (["plannedStop"] as const) : []),
      ...(gainPerUnit !== undefined && !hasGain ? (["plannedTarget"] as const) : []),
    ],
  };
}

/** Returns the net result of a strategy divided by its planned risk; undefined before it is closed. */
export function strategyResultR(
  { plannedRisk }: Pick<Plan, "plannedRisk">,
  { state, net }: Pick<Strategy, "state" | "net">,
): number | undefined {
  return state === "closed" && plannedRisk ? net / plannedRisk : undefined;
}

/** Parses a price as typed: null if empty, undefined if it is no price above 0 with at most 4 decimals. */
export function parsePrice(text: string): number | null | undefined {
  const plain = text.replace(/[\s,₹]/g, "");
  if (!plain) return null;
  const price = /^\d{1,11}(\.\d{1,4})?$/.test(plain) ? Number(plain) : 0;
  return price > 0 ? price : undefined;
}
