import type { StrategyStep } from "#features/analytics/analytics-api.ts";
import { inrWhole } from "#features/analytics/analytics-format.ts";
import { strikeWithType } from "#lib/contract.ts";
import { count, plural } from "#lib/format.ts";

type StepLeg = StrategyStep["opened"][number];

const KINDS: Readonly<Record<StrategyStep["kind"], string>> = {
  opening: "Opened",
  addition: "Added",
  adjustment: "Adjusted",
  roll: "Rolled",
  reduction: "Reduced",
  closing: "Closed",
  settlement: "Settled",
};

/** Returns the name of a step: "Opened", "Calls moved down 150". */
export function stepName(step: StrategyStep): string {
  return moveName(step) || KINDS[step.kind];
}

/** Returns what a step did: "4 legs, credit ₹8,411", "26,200 CE · 26,400 CE closed". */
export function stepLines(step: StrategyStep): string[] {
  const { kind, opened, closed, cash } = step;
  if (kind === "opening") {
    const side = cash < 0 ? "debit" : "credit";
    return [`${plural(opened.length, "leg")}, ${side} ${inrWhole(Math.abs(cash))}`];
  }
  return [
    closed.length > 0 && `${closedNames(step)} ${kind === "settlement" ? "settled" : "closed"}`,
    opened.length > 0 && `${legNames(step, opened)} opened`,
  ].filter((line) => line !== false);
}

function closedNames(step: StrategyStep): string {
  const { kind, closed } = step;
  if (kind === "closing" && closed.length > 1) return plural(closed.length, "leg");
  const [first] = closed;
  // A reduction can close a part of a leg.
  const isOneQuantity = kind === "reduction" && closed.every(({ quantity }) => quantity === first?.quantity);
  return `${isOneQuantity && first ? `${count(first.quantity)} of ` : ""}${legNames(step, closed)}`;
}

/** Returns the legs; without "CE" and "PE" if the name of the step says that they are calls or puts. */
function legNames(step: StrategyStep, legs: readonly StepLeg[]): string {
  const isMove = moveName(step) !== "";
  return legs
    .map(({ symbol, contract }) => {
      if (!contract) return symbol;
      return isMove && contract.strike !== null ? count(contract.strike) : strikeWithType(contract);
    })
    .join(" · ");
}

/** Returns a name such as "Calls moved down 150" if all strikes were replaced at the same distance; otherwise empty. */
function moveName({ opened, closed }: StrategyStep): string {
  const [from, to] = [strikesBySide(closed), strikesBySide(opened)];
  if (!from || !to || from.kind !== to.kind || from.strikes.length !== to.strikes.length) return "";
  const moves = new Set(to.strikes.map((strike, index) => strike - (from.strikes[index] ?? 0)));
  const [move = 0] = moves;
  if (moves.size !== 1 || move === 0 || from.expiry !== to.expiry) return "";
  return `${from.kind === "CE" ? "Calls" : "Puts"} moved ${move < 0 ? "down" : "up"} ${count(Math.abs(move))}`;
}

/** Returns the strikes of options of one kind and expiry, the long ones first; undefined for other legs. */
function strikesBySide(legs: readonly StepLeg[]) {
  const first = legs[0]?.contract;
  if (!first || first.kind === "FUT") return undefined;
  const isSame = ({ contract }: StepLeg) => contract?.kind === first.kind && contract.expiry === first.expiry;
  if (!legs.every(isSame)) return undefined;
  const ofSide = (side: StepLeg["side"]) =>
    legs
      .filter((leg) => leg.side === side)
      .flatMap(({ contract }) => contract?.strike ?? [])
      .sort((a, b) => a - b);
  return { kind: first.kind, expiry: first.expiry, strikes: [...ofSide("long"), ...ofSide("short")] };
}
