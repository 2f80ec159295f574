import { FIX_PATH, TRADES_PATH } from "#lib/analytics-paths.ts";
import type { Schemas } from "#lib/api.ts";
import { date, inrPaise, plural } from "#lib/format.ts";
import { period } from "#lib/period.ts";
import { signedPercent } from "#lib/ratio-format.ts";

type AccountReturns = Schemas["AccountReturns"];
type CapitalReturns = Schemas["CapitalReturns"];
type MissingInput = Schemas["MissingCapitalInput"];

/** Sentence, and the page on which the trader can act. */
export type Advice = { text: string; link?: { to: string; label: string } };

const ADD_TRADES = { to: "/dashboard?panel=0", label: "Add trades" };

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
export function xirrText({ xirrStatus, days }: CapitalReturns): string {
  if (xirrStatus === "shortPeriod") return `${plural(days, "day")} of capital. A rate per year needs 90 days`;
  if (xirrStatus === "noSingleRate") return "No single rate fits these deposits and withdrawals";
  if (xirrStatus === "noCapital") return "No deposit in this period";
  return "";
}

/** Says what is missing for the returns of an account, and where to supply it. */
export function missingText(missing: MissingInput, { broker }: Pick<AccountReturns, "broker">): Advice {
  const { kind, from = "", to = "", count = 0 } = missing;
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
  return {
    text: `The ledger and your trades differ by ${difference}. Import all tradebooks and contract notes of this account.`,
    link: ADD_TRADES,
  };
}

/** Returns what limits the figures of an account. */
export function basisNotes({ returns, basis }: AccountReturns): Advice[] {
  if (!returns || !basis) return [];
  const { symbolsWithoutPrice: symbols, positionsAtCost, tradeAfterLedger } = basis;
  const notes: Advice[] = [];
  if (symbols.length > 0)
    notes.push({
      text: `Counted at cost: ${symbols.join(", ")}${positionsAtCost > symbols.length ? " and others" : ""}. Type a price to value ${positionsAtCost === 1 ? "it" : "them"}.`,
      link: { to: TRADES_PATH, label: "Type prices" },
    });
  else if (positionsAtCost > 0)
    notes.push({
      text: `${plural(positionsAtCost, "position was", "positions were")} open on ${date(returns.to)} and ${positionsAtCost === 1 ? "counts" : "count"} at cost.`,
    });
  if (basis.startAtCost) notes.push({ text: "Positions that were open at the start count at cost." });
  if (basis.approximate)
    notes.push({ text: "The time-weighted return is approximate: open positions counted at cost." });
  if (tradeAfterLedger)
    notes.push({
      text: `The ledger ends on ${date(basis.ledgerTo)}, and the last trade is of ${date(tradeAfterLedger)}. Import a newer ledger.`,
      link: ADD_TRADES,
    });
  return notes;
}
