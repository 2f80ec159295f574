import { accountKey } from "#features/analytics/tax/tax-groups.ts";
import type { Schemas } from "#lib/api.ts";
import { plainNumber } from "#lib/typed-number.ts";

export type Loss = Schemas["BroughtForwardLoss"];
export type LossKind = Schemas["LossKind"];

/** Loss of an earlier year as typed. `account` is a key such as zerodha-2. */
export type LossDraft = { id: number; kind: LossKind; year: string; account: string; amount: string };

export const LOSS_KINDS: readonly { value: LossKind; label: string }[] = [
  { value: "speculative", label: "Intraday (speculative)" },
  { value: "nonSpeculative", label: "Futures and options" },
  { value: "shortTerm", label: "Short-term capital loss" },
  { value: "longTerm", label: "Long-term capital loss" },
];

/** Years before the log whose losses may still be used in its first year. */
const MAX_YEARS_BACK = 8;

/** Returns the year with this number of years after (or before) a financial year such as 2025-26. */
function shiftYear(year: string, years: number): string {
  const start = Number(year.slice(0, 4)) + years;
  return `${start}-${String((start + 1) % 100).padStart(2, "0")}`;
}

/**
 * Returns the years of which losses can be entered, newest first: those that the log does not have, back to eight before
 * it. With accounts of several people also the years of the log, because one person may have started later.
 */
export function lossYears(logged: readonly string[], severalPeople: boolean): string[] {
  const [newest = "", first = ""] = [logged[0], logged.at(-1)];
  const oldest = shiftYear(first, -MAX_YEARS_BACK);
  const years: string[] = [];
  for (let year = shiftYear(newest, -1); year >= oldest; year = shiftYear(year, -1)) {
    if (severalPeople || !logged.includes(year)) years.push(year);
  }
  return years;
}

export function toDrafts(losses: readonly Loss[]): LossDraft[] {
  return losses.map((loss, id) => ({
    id,
    kind: loss.kind,
    year: loss.year,
    account: accountKey(loss),
    amount: String(loss.amount),
  }));
}

/** Returns the mistake in each draft; undefined for those without one. */
export function lossMistakes(drafts: readonly LossDraft[]): (string | undefined)[] {
  return drafts.map(({ kind, year, account, amount }, index) => {
    if (amount.trim() === "") return "Enter the amount of the loss.";
    if (!/^\d{1,15}(\.\d{1,2})?$/.test(plainNumber(amount)) || toAmount(amount) <= 0)
      return "Enter rupees above 0, such as 45250 or 45250.50, without a minus.";
    const first = drafts.findIndex(
      (other) => other.kind === kind && other.year === year && other.account === account,
    );
    if (first !== index) return "You entered this kind and year above. Add both amounts together there.";
    return undefined;
  });
}

export function toLosses(drafts: readonly LossDraft[]): Loss[] {
  return drafts.map(({ kind, year, account, amount }) => {
    const [broker, number] = account.split("-");
    return {
      kind,
      year,
      broker: broker as Loss["broker"],
      ...(number && { brokerAccount: Number(number) }),
      amount: toAmount(amount),
    };
  });
}

function toAmount(text: string): number {
  return Number(plainNumber(text));
}
