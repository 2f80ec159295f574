import type { Schemas } from "#lib/api.ts";

export type LedgerSum = Schemas["LedgerSum"];

/** Names of the kinds of entries in a ledger. */
export const LEDGER_KINDS: Readonly<Record<Schemas["LedgerKind"], string>> = {
  dp: "DP charges",
  amc: "Demat account maintenance (AMC)",
  interest: "Interest",
  pledge: "Pledge charges",
  callAndTrade: "Call and trade, square-off charges",
  penalty: "Penalties",
  subscription: "Subscriptions",
  fee: "Other fees",
  deposit: "Deposits",
  withdrawal: "Withdrawals",
  settlement: "Settlement of trades",
  journal: "Transfers",
  other: "Not recognised",
};

/** Adds up amounts without rounding errors. */
export function sumAmounts(sums: readonly Pick<LedgerSum, "amount">[]): number {
  return sums.reduce((total, { amount }) => total + Math.round(amount * 10_000), 0) / 10_000;
}
