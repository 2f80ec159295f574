import { expect, test } from "vitest";
import { costTable, ofBroker } from "#features/analytics/charges/cost-sums.ts";
import type { LedgerSum } from "#lib/ledger-kinds.ts";

const sum = (change: Partial<LedgerSum>): LedgerSum => ({
  broker: "zerodha",
  period: "2026-04",
  kind: "amc",
  amount: 0.1,
  entries: 1,
  treatment: "cost",
  ...change,
});

const SUMS = [
  sum({}),
  sum({ period: "2026-05", amount: 0.2 }),
  sum({ broker: "groww", brokerAccount: 2, kind: "pledge", amount: 35.4, period: "2026-05" }),
  sum({ kind: "dp", amount: 15.34, treatment: "inTrades" }),
  sum({ kind: "settlement", amount: 4812.35, treatment: "noCost" }),
  sum({ kind: "other", amount: 1, treatment: "notRecognised" }),
];

test("adds up costs by kind and month, and nothing else", () => {
  expect(costTable(SUMS)).toEqual({
    months: ["2026-04", "2026-05"],
    rows: [
      { kind: "pledge", label: "Pledge charges", amounts: [0, 35.4], total: 35.4 },
      { kind: "amc", label: "Demat account maintenance (AMC)", amounts: [0.1, 0.2], total: 0.3 },
    ],
    total: 35.7,
  });
  expect(costTable([])).toEqual({ months: [], rows: [], total: 0 });
});

test("selects the accounts of the filter", () => {
  expect(ofBroker(SUMS, "")).toEqual(SUMS);
  expect(ofBroker(SUMS, "groww")).toEqual([SUMS[2]]);
  expect(ofBroker(SUMS, "groww-2")).toEqual([SUMS[2]]);
  expect(ofBroker(SUMS, "zerodha-1")).toHaveLength(5);
  expect(ofBroker(SUMS, "zerodha-2")).toEqual([]);
});
