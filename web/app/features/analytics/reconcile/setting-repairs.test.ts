import { expect, test } from "vitest";
import type { ReportCharge } from "#features/analytics/reconcile/reconciliation.ts";
import { repairOfCharge, settingRepairs } from "#features/analytics/reconcile/setting-repairs.ts";
import type { LedgerImport } from "#lib/send-ledger.ts";

const charge = (name: ReportCharge["charge"], prices: ReportCharge["prices"] = []): ReportCharge => ({
  charge: name,
  log: 40,
  report: 30,
  difference: 10,
  agrees: false,
  cause: null,
  lines: [],
  prices,
});

const preview = (added: number): LedgerImport => ({
  broker: "zerodha",
  added,
  duplicates: 0,
  sums: [
    { broker: "zerodha", period: "", kind: "amc", amount: 88.5, entries: 1, treatment: "cost" },
    { broker: "zerodha", period: "", kind: "dp", amount: 15.34, entries: 3, treatment: "inTrades" },
  ],
  id: null,
  format: "zerodha-other-debits",
  from: "2025-06-06",
  to: "2025-06-13",
  openingBalance: null,
  closingBalance: null,
});

test("a plan and missing entries of a ledger are repairs of their charges", () => {
  const from = "2025-06-01";
  const prices = [
    { kind: "intraday", from, flat: 15 },
    { kind: "delivery", from, flat: 15 },
  ] as const;
  const charges = [charge("brokerage", [...prices]), charge("other")];
  const repairs = settingRepairs({ broker: "zerodha", charges }, preview(4));
  expect(repairs.map(({ label }) => label)).toEqual([
    "Set ₹15.00 per order for intraday and delivery from 1 Jun 2025 on",
    "Add 4 entries to your ledger: ₹88.50 of costs outside trades",
  ]);
  expect(charges.map((one) => repairOfCharge(repairs, one)?.kind)).toEqual(["plan", "debits"]);
  expect(repairOfCharge(repairs, charge("stt"))).toBeUndefined();
});

test("nothing is repaired if the entries are stored and no price is known", () => {
  const charges = [charge("brokerage"), charge("other")];
  expect(settingRepairs({ broker: "zerodha", charges }, preview(0))).toEqual([]);
  expect(settingRepairs({ broker: "zerodha", charges }, undefined)).toEqual([]);
});

test("entries of another account are not offered", () => {
  const charges = [charge("other")];
  expect(settingRepairs({ broker: "zerodha", brokerAccount: 2, charges }, preview(4))).toEqual([]);
});
