import { InfiniteQueryObserver, QueryClient } from "@tanstack/react-query";
import { describe, expect, it } from "vitest";
import { DEFAULT_VIEW } from "#features/trades/log-view.ts";
import {
  findTrade,
  joinPages,
  removeTrades,
  replaceTrade,
  type Trade,
  type TradePage,
  tradePages,
} from "#features/trades/trade-pages.ts";

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

it("concatenates the pages", () => {
  const joined = joinPages([page([1, 2], 5), page([3, 4], 5), page([5], 5)], false);
  expect(ids(joined.trades)).toEqual(["1", "2", "3", "4", "5"]);
  expect(joined.rows).toBe(5);
});

it("counts rows that are not loaded yet", () => {
  expect(joinPages([page([1, 2], 1518)], true).rows).toBe(1518);
});

it("uses the newest total, and the loaded trades after the last page", () => {
  expect(joinPages([page([1, 2], 5), page([3, 4], 6)], true).rows).toBe(6);
  expect(joinPages([page([1, 2], 5), page([3], 5)], false).rows).toBe(3);
  expect(joinPages([page([1, 2], 2)], true).rows).toBe(3);
});

it("shows an edited trade once even if its new date puts it on a later page, too", () => {
  const joined = joinPages([page([1, 2], 4), page([3, 1, 4], 4)], false);
  expect(ids(joined.trades)).toEqual(["1", "2", "3", "4"]);
  expect(joined.rows).toBe(4);
});

describe("a loaded log", () => {
  const { queryKey } = tradePages("a@b.c", DEFAULT_VIEW);

  function loaded(pages: TradePage[]): QueryClient {
    const client = new QueryClient();
    client.setQueryData(queryKey, { pages, pageParams: ["", "next"] });
    // The observer makes the query active; a change removes inactive queries.
    new InfiniteQueryObserver(client, { ...tradePages("a@b.c", DEFAULT_VIEW), enabled: true }).subscribe(
      () => {},
    );
    return client;
  }
  const pagesOf = (client: QueryClient) => client.getQueryData(queryKey)?.pages ?? [];

  it("replaces an edited trade in its position", () => {
    const client = loaded([page([1, 2], 4), page([3, 4], 4)]);
    const third = findTrade(client, "3");
    if (!third) throw new Error("The third trade is missing.");
    replaceTrade(client, { ...third, price: 401 });
    expect(pagesOf(client).map(({ trades }) => trades.map(({ price }) => price))).toEqual([
      [400, 400],
      [401, 400],
    ]);
    expect(pagesOf(client).at(-1)?.total).toBe(4);
  });

  it("removes deleted trades and updates the total", () => {
    const client = loaded([page([1, 2], 9), page([3, 4], 9)]);
    removeTrades(client, ({ _id }) => _id === "2" || _id === "3", 7);
    expect(pagesOf(client).map(({ trades }) => ids(trades))).toEqual([["1"], ["4"]]);
    expect(pagesOf(client).map(({ total }) => total)).toEqual([7, 7]);
    expect(findTrade(client, "2")).toBeUndefined();
  });

  it("uses the server's total if a deleted leg is not loaded", () => {
    const client = loaded([page([1, 2], 9)]);
    removeTrades(client, ({ _id }) => _id === "2" || _id === "9", 7);
    expect(pagesOf(client).map(({ total }) => total)).toEqual([7]);
  });

  it("subtracts a deleted trade once if two pages contain it", () => {
    const client = loaded([]);
    const filtered = tradePages("a@b.c", { ...DEFAULT_VIEW, side: "buy" });
    client.setQueryData(filtered.queryKey, {
      pages: [page([1, 2], 4), page([3, 1], 4)],
      pageParams: ["", "next"],
    });
    new InfiniteQueryObserver(client, { ...filtered, enabled: true }).subscribe(() => {});
    removeTrades(client, ({ _id }) => _id === "1", 3);
    expect(client.getQueryData(filtered.queryKey)?.pages.at(-1)?.total).toBe(3);
  });

  it("does not use the total of the whole log for a filtered view", () => {
    const client = loaded([page([1, 2], 9)]);
    const filtered = tradePages("a@b.c", { ...DEFAULT_VIEW, side: "buy", sort: "symbol" });
    client.setQueryData(filtered.queryKey, { pages: [page([1, 2], 5)], pageParams: [""] });
    new InfiniteQueryObserver(client, filtered).subscribe(() => {});
    removeTrades(client, ({ _id }) => _id === "2", 7);
    expect(pagesOf(client).map(({ total }) => total)).toEqual([7]);
    expect(client.getQueryData(filtered.queryKey)?.pages.map(({ total }) => total)).toEqual([4]);
  });
});
