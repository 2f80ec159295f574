import type { Strategy, StrategyLeg, StrategyShape } from "#features/analytics/analytics-api.ts";
import { dayNumber } from "#features/analytics/charts/days.ts";
import { expiryLabel } from "#lib/contract.ts";
import { count, istDate } from "#lib/format.ts";
import { period } from "#lib/period.ts";

const SHAPE_NAMES: Readonly<Record<StrategyShape, string>> = {
  ironCondor: "iron condor",
  ironButterfly: "iron butterfly",
  butterfly: "butterfly",
  collar: "collar",
  coveredCall: "covered call",
  protectivePut: "protective put",
  futureAndOption: "future with options",
  longStraddle: "long straddle",
  shortStraddle: "short straddle",
  longStrangle: "long strangle",
  shortStrangle: "short strangle",
  synthetic: "synthetic future",
  bullCallSpread: "bull call spread",
  bearCallSpread: "bear call spread",
  bullPutSpread: "bull put spread",
  bearPutSpread: "bear put spread",
  ratio: "ratio spread",
  calendar: "calendar spread",
  diagonal: "diagonal spread",
  pair: "pair trade",
  longCall: "long call",
  shortCall: "short call",
  longPut: "long put",
  shortPut: "short put",
  custom: "custom strategy",
};

/** Shapes with their names, for a filter. */
export const SHAPES = Object.keys(SHAPE_NAMES)
  .filter(isShape)
  .map((value) => ({ value, label: capitalize(SHAPE_NAMES[value]) }));

export const STATES = [
  { value: "open", label: "Open" },
  { value: "closed", label: "Closed" },
  { value: "awaitingSettlement", label: "Awaiting settlement" },
] as const satisfies readonly { value: Strategy["state"]; label: string }[];

/** Trades within this time count as one decision. */
const DECISION_MS = 5 * 60_000;

export function isShape(text: string): text is StrategyShape {
  return Object.hasOwn(SHAPE_NAMES, text);
}

/** Returns the name of a shape inside a sentence: "iron condor". */
export function shapeName(shape: StrategyShape): string {
  return SHAPE_NAMES[shape];
}

/** Returns the name of several strategies of a shape: "iron condors", "iron butterflies". */
export function shapePlural(shape: StrategyShape): string {
  const name = SHAPE_NAMES[shape];
  if (shape === "futureAndOption") return "futures with options";
  return name.endsWith("y") ? `${name.slice(0, -1)}ies` : `${name}s`;
}

export function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Returns the name by the trader, or else the one after the shape. */
export function strategyName(strategy: Strategy): string {
  return strategy.name ?? shapeTitle(strategy);
}

/** Returns a name such as "NIFTY iron condor 23 Nov 2026"; with several expiries the first and last of them. */
export function shapeTitle({ underlying, shape, legs }: Strategy): string {
  return `${underlying} ${SHAPE_NAMES[shape]} ${expiryText(legs)}`.trim();
}

function expiryText(legs: readonly StrategyLeg[]): string {
  const expiries = [...new Set(legs.flatMap(({ contract }) => contract?.expiry ?? []))].sort();
  const [first, last] = [expiries[0], expiries.at(-1)];
  if (!first || !last) return "";
  return first === last ? expiryLabel(first) : `${expiryLabel(first)} to ${expiryLabel(last)}`;
}

/** Returns the strikes of the last legs, and the future or shares beside them: "25,300 · 25,500 · FUT". */
export function strikesText({ legs }: Pick<Strategy, "legs">): string {
  const last = lastLegs(legs);
  const strikes = last.flatMap(({ contract }) => contract?.strike ?? []).sort((a, b) => a - b);
  const others = last.flatMap(({ contract }) =>
    contract ? (contract.kind === "FUT" ? ["FUT"] : []) : ["shares"],
  );
  return [...new Set([...strikes.map(count), ...others])].join(" · ");
}

/** Returns the legs that were held after the last opening or adjustment. */
export function lastLegs(legs: readonly StrategyLeg[]): readonly StrategyLeg[] {
  const lastOpening = Math.max(...legs.map(({ openedAt }) => Date.parse(openedAt)));
  const kept = legs.filter(
    ({ closedAt }) => closedAt === null || Date.parse(closedAt) > lastOpening + DECISION_MS,
  );
  return kept.length > 0 ? kept : legs;
}

/** Returns the days from the first to the last trade: "12 to 20 Nov 2026", or "From 12 Nov 2026" while it is open. */
export function daysText({ openedAt, closedAt }: Pick<Strategy, "openedAt" | "closedAt">): string {
  return period(istDate(openedAt), closedAt && istDate(closedAt));
}

/** Returns the days between the first and last trade, 0 on the same day; undefined while it is open. */
export function heldDays({
  openedAt,
  closedAt,
}: Pick<Strategy, "openedAt" | "closedAt">): number | undefined {
  return closedAt === null ? undefined : dayNumber(istDate(closedAt)) - dayNumber(istDate(openedAt));
}
