import { FIX_PATH, TRADES_PATH } from "#lib/analytics-paths.ts";
import type { Schemas } from "#lib/api.ts";
import { date, inrPaise, plural, signed } from "#lib/format.ts";
import { period } from "#lib/period.ts";
import { signedPercent } from "#lib/ratio-format.ts";

type AccountReturns = Schemas["AccountReturns"];
type CapitalReturns = Schemas["CapitalReturns"];
type MissingInput = Schemas["MissingCapitalInput"];

/** Sentence, and the page on which the trader can act. */
export type Advice = { text: string; link?: { to: string; label: string } };

/** First and last day of the filters. */
export type ChosenPeriod = { from?: string | undefined; to?: string | undefined };

const ADD_TRADES = { to: "/dashboard?panel=0", label: "Add trades" };

const APPROXIMATE_TEXT = "The time-weighted return is approximate: open positions counted at cost.";

/** Days of a year, below which the return of the period is shown too. */
const YEAR_DAYS = 365;

/** Returns the return that stands for a capital: per year, or of the period if there is no rate per year. */
export function returnsTitle(returns: CapitalReturns | null): string {
  if (!returns) return "Returns on capital";
  const { xirr, periodReturn } = returns;
  if (xirr !== null) return `Returns on capital: ${signedPercent(xirr)} a year`;
  return periodReturn === null
    ? "Returns on capital"
    : `Returns on capital: ${signedPercent(periodReturn)} in this period`;
}

/** Returns true if the return of the period says what a rate per year does not. */
export function needsPeriodReturn({ days, xirr }: CapitalReturns): boolean {
  return days < YEAR_DAYS || xirr === null;
}

/** Explains why there is no XIRR; empty if there is one. */
export function xirrText({ xirrStatus }: CapitalReturns): string {
  if (xirrStatus === "shortPeriod")
    return "A rate per year needs 90 days with at least ₹100 and 1% of your highest capital";
  if (xirrStatus === "noSingleRate") return "No single rate fits these deposits and withdrawals";
  if (xirrStatus === "noCapital") return "No capital of ₹100 in this period";
  return "";
}

/** Explains why there is no time-weighted return; empty if there is one. */
export function timeWeightedText({ timeWeightedStatus }: CapitalReturns): string {
  if (timeWeightedStatus === "noCapital") return "No capital of ₹100 in this period";
  if (timeWeightedStatus === "resultWithoutCapital")
    return "There were results on days with less than ₹100 or 1% of your highest capital";
  if (timeWeightedStatus === "belowZero") return "The value fell below zero";
  if (timeWeightedStatus === "unknownValue")
    return "Money came in or left while futures were open, or while bonus shares counted at ₹0. The value on that day is not known";
  return "";
}

/** Explains why there is no return of the period; empty if there is one. */
export function periodReturnText({ periodReturnStatus }: CapitalReturns): string {
  if (periodReturnStatus === "noCapital") return "No capital of ₹100 in this period";
  if (periodReturnStatus === "smallAverage")
    return "The average capital is too small: most money left early or came late, or you withdrew the profits";
  return "";
}

/** Says what is missing for the returns of an account, and where to supply it. */
export function missingText(missing: MissingInput, { broker }: Pick<AccountReturns, "broker">): Advice {
  const { kind, from = "", to = "", day = "", count = 0 } = missing;
  const difference = inrPaise(Math.abs(missing.difference ?? 0));
  if (kind === "ledger")
    return broker === "zerodha" || broker === "groww"
      ? { text: "Import the ledger of this account.", link: ADD_TRADES }
      : { text: "Ledgers of this broker cannot be imported yet." };
  if (kind === "ledgerBalance")
    return {
      text: "Remove the imported ledger and import it again. Its opening balance was not stored.",
      link: ADD_TRADES,
    };
  if (kind === "ledgerEntries")
    return {
      text: `Entries between ${date(from)} and ${date(to)} are missing: the balance changes by ${difference}. Import the ledger of these days, or choose a period from ${date(to)}.`,
      link: ADD_TRADES,
    };
  if (kind === "ledgerOfPeriod")
    return {
      text: `The ledger covers ${period(from, to)}. Import the ledger of the chosen period.`,
      link: ADD_TRADES,
    };
  if (kind === "costBasis")
    return {
      text: `${plural(count, "sell has", "sells have")} no buy price. Enter it, or import the older trades.`,
      link: { to: FIX_PATH, label: "Fix" },
    };
  if (kind === "settlements")
    return {
      text: `${plural(count, "expired contract has", "expired contracts have")} no settlement price. Enter it.`,
      link: { to: FIX_PATH, label: "Fix" },
    };
  if (kind === "unknownEntries") return { text: unknownEntriesText(missing) };
  if (kind === "openFutures")
    return {
      text: `Futures were open on ${date(day)}. Their value then is not known, because trades have no daily settlement prices. ${
        from ? `Choose the period ${period(from, to)}.` : "Choose a period without open futures at its ends."
      }`,
    };
  if (kind === "unsettledTrades" && missing.insideLedger)
    return {
      text: `The ledger does not show which trades until ${date(day)} it has settled. Choose a period that begins or ends a week earlier or later.`,
    };
  if (kind === "unsettledTrades")
    return {
      text: `The ledger does not show which trades until ${date(day)} it has settled. Import a ledger that begins earlier and ends later, and the trades of the days before it. If it posted a settlement some days late, choose a period that begins or ends a week earlier or later.`,
      link: ADD_TRADES,
    };
  if (kind === "blockedMargin")
    return {
      text: `Margin, or money from the broker for shares, may be older than the ledger, which begins on ${date(day)} and does not state it. Import a ledger from a day without open contracts.`,
      link: ADD_TRADES,
    };
  if (kind === "reducedCost")
    return {
      text: `A capital return, the cash part of a merger, or a contract adjustment reduced the cost of ${plural(count, "holding")}. Such payments are not in the ledger. Choose a period without ${count === 1 ? "it" : "them"}.`,
    };
  return {
    text: `The settlements of the ledger and your trades differ by ${difference} (${period(from, to)}). Import all equity and F&O tradebooks of this account, from at least three trading days before the ledger. Commodity and currency trades cannot be imported: with them in the ledger, there are no returns.`,
    link: ADD_TRADES,
  };
}

/** Names entries of an unknown kind. */
function unknownEntriesText({ count = 0, entries = [] }: MissingInput): string {
  const named = entries
    .map((entry) => `${date(entry.day)} “${entry.text}” ${signed(entry.amount)}`)
    .join(", ");
  const more = count > entries.length ? " and others" : "";
  return `${plural(count, "entry of the ledger is", "entries of the ledger are")} not recognised: ${named}${more}. We cannot tell a payment from a result, and the kind cannot be set yet. Choose a period without ${count === 1 ? "it" : "them"}.`;
}

/** Returns what limits the figures of all accounts, if it limits those of no single one. */
export function totalNotes(total: CapitalReturns | null, accounts: readonly AccountReturns[]): Advice[] {
  const isNamed = accounts.some(({ returns }) => returns?.approximate);
  return total?.approximate && !isNamed ? [{ text: APPROXIMATE_TEXT }] : [];
}

/** Returns what limits the figures of an account. */
export function basisNotes({ returns, basis }: AccountReturns, chosen: ChosenPeriod = {}): Advice[] {
  if (!returns || !basis) return [];
  const { symbolsWithoutPrice: symbols, positionsAtCost, tradeAfterLedger } = basis;
  const notes: Advice[] = [];
  if (chosen.from && returns.from > chosen.from)
    notes.push({
      text: `The figures begin on ${date(returns.from)}, the first day of the ledger, and not on ${date(chosen.from)}.`,
    });
  if (returns.to === basis.ledgerTo && chosen.to !== returns.to) {
    const instead = chosen.to ? `, and not on ${date(chosen.to)}` : "";
    notes.push({ text: `The figures end on ${date(returns.to)}, the last day of the ledger${instead}.` });
  }
  if (basis.difference !== 0)
    notes.push({
      text: `The settlements of the ledger and your trades differ by ${signed(basis.difference)}. The reason can be charges that we estimated, or a small trade that is missing. The gain includes this amount.`,
    });
  if (symbols.length > 0)
    notes.push({
      text: `Counted at cost: ${symbols.join(", ")}${positionsAtCost > symbols.length ? " and others" : ""}. Type a price of ${date(returns.to)} to value ${positionsAtCost === 1 ? "it" : "them"}.`,
      link: { to: TRADES_PATH, label: "Type prices" },
    });
  else if (positionsAtCost > 0)
    notes.push({
      text: `${plural(positionsAtCost, "position was", "positions were")} open on ${date(returns.to)} and ${positionsAtCost === 1 ? "counts" : "count"} at cost.`,
    });
  if (basis.gaps.length > 0)
    notes.push({
      text: `No imported ledger has entries of ${basis.gaps.map((gap) => period(gap.from, gap.to)).join(", ")}. The balance is the same before and after, so the figures assume that there were none.`,
      link: ADD_TRADES,
    });
  if (basis.bonusWithoutCost.length > 0)
    notes.push({
      text: `Bonus shares of ${basis.bonusWithoutCost.join(", ")} count at ₹0: the cost belongs to the older shares, and some of these were sold. So the gain is too low while you hold the bonus shares, and too high in a period in which you sell them.`,
    });
  if (basis.startAtCost)
    notes.push({
      text: "Positions that were open at the start count at cost, at the end too: typed prices do not apply to them. If you sold them, the gain contains what they had gained before the period.",
    });
  if (returns.approximate) notes.push({ text: APPROXIMATE_TEXT });
  if (tradeAfterLedger)
    notes.push({
      text: `The ledger ends on ${date(basis.ledgerTo)}, and the last trade is of ${date(tradeAfterLedger)}. Import a newer ledger.`,
      link: ADD_TRADES,
    });
  return notes;
}
