import type { JournalGroup } from "#features/trader-journal/group-figures.tsx";
import { inrPaise, plural, signed } from "#lib/format.ts";

/** Fewest positions on each side of a comparison of averages. */
const MIN_POSITIONS = 5;

/** Share of rules that were marked as kept, in words; undefined if no rule was marked. */
export function rulesKeptText({
  rulesKept,
  rulesBroken,
}: Pick<JournalGroup, "rulesKept" | "rulesBroken">): string | undefined {
  const marked = rulesKept + rulesBroken;
  return marked > 0 ? `${rulesKept} of ${plural(marked, "rule")} kept` : undefined;
}

/**
 * Compares the positions of a setup that broke a rule with the others, by their average result after charges.
 * Undefined if no position broke a rule.
 */
export function brokenRulesText(
  all: JournalGroup | undefined,
  broken: JournalGroup | undefined,
): string | undefined {
  const [total, worse] = [all?.figures, broken?.figures];
  if (!total || !worse) return undefined;
  const others = total.closedTrades - worse.closedTrades;
  const sum = `With a broken rule: ${signed(worse.net)} in ${plural(worse.closedTrades, "position")}`;
  if (worse.closedTrades < MIN_POSITIONS || others < MIN_POSITIONS)
    return `${sum}. Too few positions to compare.`;
  const difference = worse.net / worse.closedTrades - (total.net - worse.net) / others;
  const cost = inrPaise(Math.abs(difference));
  return difference < 0
    ? `${sum}. On average ${cost} less than a position without one.`
    : `${sum}. On average ${cost} more than a position without one.`;
}
