import { expect, it } from "vitest";
import { groupBySaleDay } from "./missing-sales.ts";

const sell = (tradeId: string, quantity: number, value: number, change: object = {}) =>
  ({ tradeId, symbol: "WIPRO", broker: "zerodha", date: "2025-07-10", quantity, value, ...change }) as const;

it("[T2] joins the fills of a sale day into one entry, by symbol, broker and day", () => {
  const day = { symbol: "WIPRO", broker: "zerodha", date: "2025-07-10" };
  expect(
    groupBySaleDay([
      sell("1", 6, 1_500.1),
      sell("2", 20, 5_000.2),
      sell("3", 5, 1_250, { date: "2025-07-11" }),
      sell("4", 24, 6_000, {}),
      sell("5", 1, 250, { broker: "groww" }),
    ]),
  ).toEqual([
    { ...day, quantity: 50, value: 12_500.3, sells: 3 },
    { ...day, date: "2025-07-11", quantity: 5, value: 1_250, sells: 1 },
    { ...day, broker: "groww", quantity: 1, value: 250, sells: 1 },
  ]);
});
