import type { Strategy, StrategyDecision, StrategyShape } from "#features/analytics/analytics-api.ts";
import { capitalize, shapeName } from "#features/analytics/strategies/strategy-names.ts";
import { count, plural } from "#lib/format.ts";

type Candidate = Strategy["candidates"][number];

/** Possible grouping of the legs of a strategy. */
export type Grouping = {
  shape: StrategyShape;
  legs: Candidate["legs"];
  /** True if the legs are grouped like this now. */
  isCurrent: boolean;
  /** Decision that keeps this grouping. */
  decision: StrategyDecision;
};

/** Returns the possible groupings of an ambiguous strategy, the current one first. */
export function listGroupings(strategy: Strategy): readonly Grouping[] {
  const { shape, legs, candidates } = strategy;
  const others = candidates
    .filter(({ current }) => !current)
    .map(({ id, shape, legs }) => ({
      shape,
      legs,
      isCurrent: false,
      decision: { action: "choose" as const, candidateId: id },
    }));
  return [{ shape, legs, isCurrent: true, decision: { action: "confirm" } }, ...others];
}

/** Returns what a decision did: "Grouped as bull call spread". */
export function decisionText(decision: StrategyDecision, strategies: readonly Strategy[]): string {
  const [strategy] = strategies;
  switch (decision.action) {
    case "confirm":
      if (decision.name) return `Renamed to ${decision.name}`;
      if (decision.name === "") return "Named after its shape";
      return strategy ? `${capitalize(shapeName(strategy.shape))} confirmed` : "Grouping confirmed";
    case "choose":
      return strategy ? `Grouped as ${shapeName(strategy.shape)}` : "Grouping chosen";
    case "join":
      return `Joined with ${plural(decision.strategyIds?.length ?? 0, "strategy", "strategies")}`;
    case "split":
      return "Split into two strategies";
    case "release":
      return `Grouped automatically again${strategies.length > 1 ? `, as ${count(strategies.length)} strategies` : ""}`;
  }
}

/** Place in a list from which items disappear: the item with the id, or else the one that moved to its index. */
export type Place = { id: string; index: number };

/** Returns the index of a place in the current ids; −1 if there are none. */
export function indexOfPlace(ids: readonly string[], { id, index }: Place): number {
  const position = ids.indexOf(id);
  return position >= 0 ? position : Math.min(index, ids.length - 1);
}
