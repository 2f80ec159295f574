import type { Strategy, StrategyPayoff } from "#features/analytics/analytics-api.ts";
import { inrWhole, signedWhole } from "#features/analytics/analytics-format.ts";
import { count } from "#lib/format.ts";

type Limits = Pick<StrategyPayoff, "maxProfit" | "maxLoss">;

/** Returns the headline of the payoff chart: the result compared with what expiry could pay. */
export function payoffHeadline(
  { state, net }: Pick<Strategy, "state" | "net">,
  { maxProfit, maxLoss }: Limits,
): string {
  if (state !== "closed") return limitsHeadline(state === "open" ? "can" : "could", { maxProfit, maxLoss });
  if (net === 0) return "It closed without profit or loss";
  if (net > 0) {
    if (maxProfit === null) return `It made ${inrWhole(net)}; the profit had no limit`;
    return net > maxProfit || maxProfit <= 0
      ? `It made ${inrWhole(net)}, more than expiry could pay`
      : `It closed at ${wholePercent(net / maxProfit)} of what expiry could pay`;
  }
  if (maxLoss === null) return `It lost ${inrWhole(-net)}; the loss had no limit`;
  return net < maxLoss || maxLoss >= 0
    ? `It lost ${inrWhole(-net)}, more than expiry could cost`
    : `It lost ${wholePercent(net / maxLoss)} of what expiry could cost`;
}

/** States what expiry can bring, or could have brought if only the settlement is missing. */
function limitsHeadline(verb: "can" | "could", { maxProfit, maxLoss }: Limits): string {
  const profit =
    maxProfit === null ? "the profit has no limit" : `it ${verb} make up to ${inrWhole(maxProfit)}`;
  const loss = maxLoss === null ? "the loss has no limit" : `${verb} lose up to ${inrWhole(-maxLoss)}`;
  const subject = maxProfit === null && maxLoss !== null ? "it " : "";
  return `At expiry ${profit} and ${subject}${loss}`;
}

/** Returns a share in whole percent; not 100% for less. */
function wholePercent(share: number): string {
  return `${share < 1 ? Math.min(Math.round(share * 100), 99) : 100}%`;
}

/** Returns the break-evens: "25,418 · 26,131". */
export function breakEvensText({ breakEvens }: Pick<StrategyPayoff, "breakEvens">): string {
  return breakEvens.length === 0 ? "None" : breakEvens.map((price) => count(Math.round(price))).join(" · ");
}

/** Returns how the adjustments changed the payoff; empty if they changed neither profit nor break-evens. */
export function changeText(first: StrategyPayoff, last: StrategyPayoff): string {
  const [before, after] = [breakEvensText(first), breakEvensText(last)];
  const profit =
    first.maxProfit !== null && last.maxProfit !== null
      ? Math.round(last.maxProfit) - Math.round(first.maxProfit)
      : 0;
  const changes = [
    profit !== 0 && `changed the greatest profit by ${signedWhole(profit)}`,
    before !== after && `moved the break-evens from ${before} to ${after}`,
  ].filter(Boolean);
  return changes.length === 0 ? "" : `The adjustments ${changes.join(" and ")}.`;
}
