import {
  getTemplate,
  type Side,
  type Template,
  type TemplateName,
} from "#features/strategy-entry/templates.ts";
import type { OptionKind } from "#lib/option-symbol.ts";

export const MAX_LEGS = 8;

/** Typed values of a leg. */
export type LegFields = {
  /** Identifies the leg; its entry and exit are stored with it as `pairId`. */
  id: string;
  side: Side;
  kind: OptionKind;
  ratio: string;
  strike: string;
  /** Used only if the template has an expiry per leg. */
  expiry: string;
  entryPrice: string;
  exitPrice: string;
};

/** Typed values of the form. */
export type StrategyFields = {
  template: TemplateName;
  /** Account with a broker, such as "zerodha" or "zerodha-2". */
  account: string;
  underlying: string;
  /** Used only if the template has one expiry. */
  expiry: string;
  /** Optional: with the lot size, they determine the quantity. */
  lots: string;
  lotSize: string;
  /** Quantity of a leg with the ratio 1. */
  quantity: string;
  openedAt: string;
  /** Empty while the position is open. */
  closedAt: string;
  legs: readonly LegFields[];
};

export function newStrategy(account: string): StrategyFields {
  const contract = { underlying: "", expiry: "", lots: "", lotSize: "", quantity: "" };
  const empty = { account, ...contract, openedAt: "", closedAt: "", legs: [] };
  return applyTemplate({ ...empty, template: "ironCondor" }, "ironCondor");
}

/** Returns the values for the next strategy: keeps the account, template, underlying, lot size, expiries and times. */
export function nextStrategy(fields: StrategyFields): StrategyFields {
  const legs = fields.legs.map((leg) => ({ ...newLeg(leg), expiry: leg.expiry }));
  return { ...fields, lots: "", quantity: "", legs };
}

/** Changes the underlying, the lots or their size. While lots are entered, the quantity follows them. */
export function changeLots(
  fields: StrategyFields,
  change: Partial<Pick<StrategyFields, "underlying" | "lots" | "lotSize">>,
): StrategyFields {
  const next = { ...fields, ...change };
  if (!next.lots.trim()) return next;
  const isValid = isLotCount(next.lots) && isLotCount(next.lotSize);
  return { ...next, quantity: isValid ? String(Number(next.lots) * Number(next.lotSize)) : "" };
}

/** Returns true for a number of lots or units per lot. */
export function isLotCount(text: string): boolean {
  return /^[1-9]\d{0,5}$/.test(text.trim());
}

/** Changes the template. Legs of the same side and kind keep their strikes and prices. */
export function applyTemplate(fields: StrategyFields, name: TemplateName): StrategyFields {
  const template = getTemplate(name);
  const remaining = [...fields.legs];
  const legs = template.legs.map((leg) => {
    const index = remaining.findIndex(({ side, kind }) => side === leg.side && kind === leg.kind);
    const [previous] = index < 0 ? [] : remaining.splice(index, 1);
    return { ...(previous ?? newLeg(leg)), ratio: String(leg.ratio) };
  });
  // The legs of another template are a start for a custom strategy.
  const next = {
    ...fields,
    template: name,
    legs: name === "custom" ? fields.legs : shareStrikes(legs, template),
  };
  if (template.hasExpiries) return withExpiryPerLeg(next);
  return { ...next, expiry: fields.expiry || (fields.legs[0]?.expiry ?? "") };
}

/** Changes fields of one leg. A strike is copied to the legs that share it. */
export function changeLeg(fields: StrategyFields, index: number, change: Partial<LegFields>): StrategyFields {
  const { strike } = change;
  const legs = fields.legs.map((leg, other) => {
    if (other === index) return { ...leg, ...change };
    return strike !== undefined && shareStrike(fields, index, other) ? { ...leg, strike } : leg;
  });
  return { ...fields, legs };
}

/** Returns true if the template gives two legs the same strike. */
export function shareStrike({ template }: StrategyFields, index: number, other: number): boolean {
  const { legs } = getTemplate(template);
  const rank = legs[index]?.rank;
  return rank !== undefined && legs[other]?.rank === rank;
}

/** Adds a leg to a custom strategy, with the expiry of the last one. */
export function addLeg(fields: StrategyFields): StrategyFields {
  if (fields.legs.length >= MAX_LEGS) return fields;
  const expiry = fields.legs.at(-1)?.expiry ?? fields.expiry;
  return { ...fields, legs: [...fields.legs, { ...newLeg({ side: "buy", kind: "CE" }), expiry }] };
}

export function removeLeg(fields: StrategyFields, index: number): StrategyFields {
  return { ...fields, legs: fields.legs.filter((_, at) => at !== index) };
}

/** Returns the expiry of a leg. */
export function legExpiry({ template, expiry }: StrategyFields, leg: LegFields): string {
  return getTemplate(template).hasExpiries ? leg.expiry : expiry;
}

/** Returns true if the form closes a leg; without an exit price the leg is still open, or it expired. */
export function hasExit({ closedAt }: StrategyFields, { exitPrice }: LegFields): boolean {
  return closedAt !== "" && exitPrice.trim() !== "";
}

/** Returns the quantity of a leg; undefined if a field is invalid. */
export function legQuantity({ quantity }: StrategyFields, { ratio }: LegFields): number | undefined {
  const [units, multiple] = [quantity.trim(), ratio.trim()];
  if (!/^\d{1,9}$/.test(units) || !/^\d{1,3}$/.test(multiple)) return undefined;
  return Number(units) * Number(multiple) || undefined;
}

function newLeg({
  side,
  kind,
  ratio = "1",
}: {
  side: Side;
  kind: OptionKind;
  ratio?: string | number;
}): LegFields {
  const values = { strike: "", expiry: "", entryPrice: "", exitPrice: "" };
  return { id: crypto.randomUUID(), side, kind, ratio: String(ratio), ...values };
}

/** Gives the legs of each rank the first strike that was typed for one of them. */
function shareStrikes(legs: readonly LegFields[], template: Template): LegFields[] {
  const rankOf = (index: number) => template.legs[index]?.rank;
  return legs.map((leg, index) => {
    const sharing = legs.filter((_, other) => rankOf(other) === rankOf(index));
    return { ...leg, strike: sharing.find(({ strike }) => strike !== "")?.strike ?? "" };
  });
}

/** Copies the expiry to the legs; in a calendar spread the last leg has another one. */
function withExpiryPerLeg(fields: StrategyFields): StrategyFields {
  const { template, expiry, legs } = fields;
  const same = template === "custom" ? legs.length : legs.length - 1;
  return {
    ...fields,
    legs: legs.map((leg, index) => (index < same ? { ...leg, expiry: leg.expiry || expiry } : leg)),
  };
}
