import type { JournalEntry, JournalSubject } from "#features/trader-journal/journal-entry.ts";
import { positionSubject, type Strategy, strategySubject } from "#features/trader-journal/journal-subject.ts";
import type { Position } from "#features/trader-journal/position-facts.ts";
import { $api } from "#lib/api-query.ts";
import { tradeName } from "#lib/contract.ts";
import { count, date, istDate, plural, signed } from "#lib/format.ts";
import { period } from "#lib/period.ts";

/** Maximum number of positions or strategies to choose from. */
const MAX_CHOICES = 100;

/** Position or strategy that an entry can be attached to. */
export type AttachChoice = { subject: JournalSubject; label: string };

/** Loads the positions, or for the entry of a strategy the strategies, with the symbol of an entry; newest first. */
export function useAttachChoices({
  kind,
  symbol,
}: Pick<JournalEntry, "kind" | "symbol">): AttachChoice[] | undefined {
  const query = { limit: MAX_CHOICES, ...(symbol && { symbol }) };
  const isStrategy = kind === "strategy";
  const positions = $api.useQuery(
    "get",
    "/analytics/positions",
    { params: { query } },
    { enabled: !isStrategy },
  );
  const strategies = $api.useQuery(
    "get",
    "/analytics/strategies",
    { params: { query } },
    { enabled: isStrategy },
  );
  return isStrategy
    ? strategies.data?.strategies.map(strategyChoice)
    : positions.data?.positions.map(positionChoice);
}

function positionChoice(position: Position): AttachChoice {
  const { side, quantity, openedAt } = position;
  return {
    subject: positionSubject(position),
    label: `${tradeName(position)}, ${date(openedAt)}, ${side} ${count(quantity)}`,
  };
}

type NamedStrategy = Pick<
  Strategy,
  "id" | "name" | "underlying" | "openedAt" | "closedAt" | "net" | "state"
> & { legs: readonly unknown[] };

/** Returns a choice such as "NIFTY strategy, 12 to 20 Nov 2026, 4 legs, +₹8,025.00". */
export function strategyChoice(strategy: NamedStrategy): AttachChoice {
  const { name, underlying, openedAt, closedAt, legs, state, net } = strategy;
  const parts = [
    name ?? `${underlying} strategy`,
    closedAt ? period(istDate(openedAt), istDate(closedAt)) : `from ${date(openedAt)}`,
    plural(legs.length, "leg"),
    ...(state === "closed" ? [signed(net)] : []),
  ];
  return { subject: strategySubject(strategy), label: parts.join(", ") };
}
