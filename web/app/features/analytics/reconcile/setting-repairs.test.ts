import { expect, test } from "vitest";
import type { ReportCharge } from "#features/analytics/reconcile/reconciliation.ts";
import { repairOfCharge, settingRepairs, withPrices } from "#features/analytics/reconcile/setting-repairs.ts";
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
  sums: [],
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
  const repairs = settingRepairs({ charges }, preview(4));
  expect(repairs.map(({ label }) => label)).toEqual([
    "Set ₹15.00 per order for intraday and delivery from 1 Jun 2025",
    "Add 4 entries to your costs outside trades",
  ]);
  expect(charges.map((one) => repairOfCharge(repairs, one)?.kind)).toEqual(["plan", "debits"]);
  expect(repairOfCharge(repairs, charge("stt"))).toBeUndefined();
});

test("nothing is repaired if the entries are stored and no price is known", () => {
  const charges = [charge("brokerage"), charge("other")];
  expect(settingRepairs({ charges }, preview(0))).toEqual([]);
  expect(settingRepairs({ charges }, undefined)).toEqual([]);
});

test("a price of zero is called no brokerage", () => {
  const charges = [charge("brokerage", [{ kind: "delivery", from: "2025-06-01", flat: 0 }])];
  expect(settingRepairs({ charges }, undefined)[0]?.label).toBe(
    "Set no brokerage for delivery from 1 Jun 2025",
  );
});

test("new prices replace those of the same orders and day only", () => {
  const settings = {
    plan: "standard",
    womanFirstHolder: false,
    brokerage: [
      { kind: "options" as const, flat: 20 },
      { kind: "options" as const, from: "2025-06-01", flat: 18 },
      { kind: "futures" as const, from: "2025-06-01", percent: 0.03 },
    ],
  };
  expect(withPrices(settings, [{ kind: "options", from: "2025-06-01", flat: 15 }])).toEqual({
    plan: "standard",
    womanFirstHolder: false,
    brokerage: [
      settings.brokerage[0],
      settings.brokerage[2],
      { kind: "options", from: "2025-06-01", flat: 15 },
    ],
  });
});
