import type { Schemas } from "#lib/api.ts";

type Sell = Schemas["OpenPositions"]["missingCostBasis"][number];

/** Sells of one symbol without a buy price, at one broker and on one day. */
export type SaleDay = Pick<Sell, "symbol" | "broker" | "date" | "quantity" | "value"> & {
  /** Number of sells. */
  sells: number;
};

/** Joins the sells of a day, which usually have one purchase, in the order of the list. */
export function groupBySaleDay(sells: readonly Sell[]): SaleDay[] {
  const days = new Map<string, SaleDay>();
  for (const { symbol, broker, date, quantity, value } of sells) {
    const key = `${symbol} ${broker} ${date}`;
    const day = days.get(key) ?? { symbol, broker, date, quantity: 0, value: 0, sells: 0 };
    days.set(key, {
      ...day,
      quantity: day.quantity + quantity,
      // In whole 1/10,000 rupees, without rounding errors.
      value: (Math.round(day.value * 1e4) + Math.round(value * 1e4)) / 1e4,
      sells: day.sells + 1,
    });
  }
  return [...days.values()];
}
