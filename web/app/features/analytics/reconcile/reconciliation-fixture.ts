import type { Reconciliation, Row } from "#features/analytics/reconcile/reconciliation.ts";

type Sums = NonNullable<Row["log"]>;

const NONE: Sums = { quantity: 0, buyValue: 0, sellValue: 0, gross: 0 };

/** Returns the figures of one side. */
export function sums(quantity: number, buyValue: number, sellValue: number): Sums {
  return { quantity, buyValue, sellValue, gross: sellValue - buyValue };
}

/** Returns a row as the server computes it from the two sides. */
export function row(symbol: string, log: Sums | null, report: Sums | null, more: Partial<Row> = {}): Row {
  const difference = { ...NONE };
  for (const key of ["quantity", "buyValue", "sellValue", "gross"] as const)
    difference[key] = (log ?? NONE)[key] - (report ?? NONE)[key];
  const agrees = Object.values(difference).every((value) => value === 0);
  return {
    symbol,
    isin: null,
    name: null,
    log,
    report,
    difference,
    agrees,
    cause: null,
    repair: null,
    ...more,
  };
}

export function reconciliation(more: Partial<Reconciliation> = {}): Reconciliation {
  const sum = { log: 0, report: 0, difference: 0 };
  return {
    format: "zerodha-equity-pnl",
    formatTitle: "Zerodha P&L statement for equity",
    title: "P&L Statement for Equity from 2025-04-01 to 2026-03-31",
    broker: "zerodha",
    tradetype: "equity",
    from: "2025-04-01",
    to: "2026-03-31",
    agrees: true,
    totals: { buyValue: sum, sellValue: sum, gross: sum, charges: sum, net: sum },
    rows: [],
    totalRows: 0,
    differingRows: 0,
    charges: [],
    notCompared: [],
    ...more,
  };
}
