import { expect, it } from "vitest";
import { joinPages, type Trade, type TradePage } from "#features/trades/trade-pages.ts";

function page(ids: number[], total: number): TradePage {
  const trades = ids.map(
    (id): Trade => ({
      _id: String(id),
      type: "buy",
      symbol: "ITC",
      quantity: 1,
      price: 400,
      value: 400,
      timestamp: "2025-06-20T04:00:00Z",
      timePrecision: "minute",
      broker: "groww",
      tradetype: "equity",
      exchange: "NSE",
    }),
  );
  return {
    name: "A",
    clientId: "TB-7K3M9Q",
    email: "a@b.c",
    phoneNumber: "",
    tradetype: null,
    trades,
    total,
  };
}

const ids = (trades: readonly Trade[]) => trades.map(({ _id }) => _id);

it("is empty without pages", () => {
  expect(joinPages([], false)).toEqual({ trades: [], rows: 0 });
});

it("puts the pages one behind the other", () => {
  const joined = joinPages([page([1, 2], 5), page([3, 4], 5), page([5], 5)], false);
  expect(ids(joined.trades)).toEqual(["1", "2", "3", "4", "5"]);
  expect(joined.rows).toBe(5);
});

it("leaves room for what is not loaded", () => {
  expect(joinPages([page([1, 2], 1518)], true).rows).toBe(1518);
});

it("takes the newest total, and at the end what really came", () => {
  expect(joinPages([page([1, 2], 5), page([3, 4], 6)], true).rows).toBe(6);
  expect(joinPages([page([1, 2], 5), page([3], 5)], false).rows).toBe(3);
  expect(joinPages([page([1, 2], 2)], true).rows).toBe(3);
});
