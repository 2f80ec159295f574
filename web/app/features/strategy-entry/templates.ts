import type { OptionKind } from "#lib/option-symbol.ts";

export type Side = "buy" | "sell";

type TemplateLeg = {
  side: Side;
  kind: OptionKind;
  /** Rank of the strike, from 0. Legs of the same rank share the strike; a higher rank has a higher strike. */
  rank: number;
  /** Multiple of the quantity. */
  ratio: number;
};

export type Template = {
  label: string;
  /** Empty for a strategy whose legs the trader chooses. */
  legs: readonly TemplateLeg[];
  /** True if the trader may change the ratios. */
  hasRatio?: true;
  /** True if each leg has its own expiry. Except in a custom strategy, the last leg expires last. */
  hasExpiries?: true;
};

const leg = (side: Side, kind: OptionKind, rank: number, ratio = 1): TemplateLeg => ({
  side,
  kind,
  rank,
  ratio,
});

/** Templates in the order of the menu. */
const TEMPLATES = {
  shortStraddle: { label: "Short straddle", legs: [leg("sell", "CE", 0), leg("sell", "PE", 0)] },
  longStraddle: { label: "Long straddle", legs: [leg("buy", "CE", 0), leg("buy", "PE", 0)] },
  shortStrangle: { label: "Short strangle", legs: [leg("sell", "PE", 0), leg("sell", "CE", 1)] },
  longStrangle: { label: "Long strangle", legs: [leg("buy", "PE", 0), leg("buy", "CE", 1)] },
  bullCallSpread: { label: "Bull call spread", legs: [leg("buy", "CE", 0), leg("sell", "CE", 1)] },
  bearCallSpread: { label: "Bear call spread", legs: [leg("sell", "CE", 0), leg("buy", "CE", 1)] },
  bullPutSpread: { label: "Bull put spread", legs: [leg("buy", "PE", 0), leg("sell", "PE", 1)] },
  bearPutSpread: { label: "Bear put spread", legs: [leg("sell", "PE", 0), leg("buy", "PE", 1)] },
  ironCondor: {
    label: "Iron condor",
    legs: [leg("buy", "PE", 0), leg("sell", "PE", 1), leg("sell", "CE", 2), leg("buy", "CE", 3)],
  },
  ironButterfly: {
    label: "Iron butterfly",
    legs: [leg("buy", "PE", 0), leg("sell", "PE", 1), leg("sell", "CE", 1), leg("buy", "CE", 2)],
  },
  butterfly: {
    label: "Butterfly (calls)",
    legs: [leg("buy", "CE", 0), leg("sell", "CE", 1, 2), leg("buy", "CE", 2)],
  },
  callRatio: {
    label: "Ratio spread (calls)",
    legs: [leg("buy", "CE", 0), leg("sell", "CE", 1, 2)],
    hasRatio: true,
  },
  putRatio: {
    label: "Ratio spread (puts)",
    legs: [leg("sell", "PE", 0, 2), leg("buy", "PE", 1)],
    hasRatio: true,
  },
  callCalendar: {
    label: "Calendar spread (calls)",
    legs: [leg("sell", "CE", 0), leg("buy", "CE", 0)],
    hasExpiries: true,
  },
  putCalendar: {
    label: "Calendar spread (puts)",
    legs: [leg("sell", "PE", 0), leg("buy", "PE", 0)],
    hasExpiries: true,
  },
  longSynthetic: { label: "Synthetic future (long)", legs: [leg("buy", "CE", 0), leg("sell", "PE", 0)] },
  shortSynthetic: { label: "Synthetic future (short)", legs: [leg("sell", "CE", 0), leg("buy", "PE", 0)] },
  custom: { label: "Custom", legs: [], hasRatio: true, hasExpiries: true },
} as const satisfies Readonly<Record<string, Template>>;

export type TemplateName = keyof typeof TEMPLATES;

export function getTemplate(name: TemplateName): Template {
  return TEMPLATES[name];
}

export function isTemplateName(text: string): text is TemplateName {
  return Object.hasOwn(TEMPLATES, text);
}

/** Options of the select. */
export const TEMPLATE_OPTIONS = Object.entries(TEMPLATES).map(([value, { label }]) => ({ value, label }));
