import type { Line, TaxReconciliation } from "#features/analytics/reconcile/tax-reconciliation.ts";

type Side = NonNullable<Line["log"]>;

/** Returns one side of a line. */
export function side(head: Side["head"], quantity: number, buyValue: number, sellValue: number): Side {
  return { head, quantity, buyValue, sellValue, gross: sellValue - buyValue };
}

/** Returns a line as the server computes it from the two sides. */
export function line(
  symbol: string,
  log: Side | null,
  report: Side | null,
  cause: Line["cause"] = null,
): Line {
  const of = (key: "quantity" | "buyValue" | "sellValue" | "gross") =>
    (log?.[key] ?? 0) - (report?.[key] ?? 0);
  return {
    ...{ symbol, isin: null, name: null, entryDay: "2024-06-03", exitDay: "2025-06-04", log, report },
    difference: {
      quantity: of("quantity"),
      buyValue: of("buyValue"),
      sellValue: of("sellValue"),
      gross: of("gross"),
    },
    agrees: cause === null,
    cause,
  };
}

export function taxReconciliation(more: Partial<TaxReconciliation> = {}): TaxReconciliation {
  return {
    format: "zerodha-tax-pnl",
    formatTitle: "Zerodha tax P&L",
    title: "Tradewise Exits from 2025-04-01 to 2026-03-31",
    broker: "zerodha",
    from: "2025-04-01",
    to: "2026-03-31",
    agrees: true,
    heads: [],
    lines: [],
    totalLines: 0,
    differingLines: 0,
    notCompared: [],
    ...more,
  };
}
