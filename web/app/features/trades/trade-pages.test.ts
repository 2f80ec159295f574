import { InfiniteQueryObserver, QueryClient } from "@tanstack/react-query";
import { describe, expect, it } from "vitest";
import { DEFAULT_VIEW } from "#features/trades/log-view.ts";
import {
  dropTrades,
  findTrade,
  joinPages,
  putTrade,
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

it("shows a trade once that comes again on the page to which its new date took it", () => {
  const joined = joinPages([page([1, 2], 4), page([3, 1, 4], 4)], false);
  expect(ids(joined.trades)).toEqual(["1", "2", "3", "4"]);
  expect(joined.rows).toBe(4);
});

describe("a loaded log", () => {
  const { queryKey } = tradePages("a@b.c", DEFAULT_VIEW);

  function loaded(pages: TradePage[]): QueryClient {
    const client = new QueryClient();
    client.setQueryData(queryKey, { pages, pageParams: ["", "next"] });
    // Looked at, as the log is: what nobody looks at is forgotten by a change.
    new InfiniteQueryObserver(client, { ...tradePages("a@b.c", DEFAULT_VIEW), enabled: true }).subscribe(
      () => {},
    );
    return client;
  }
  const pagesOf = (client: QueryClient) => client.getQueryData(queryKey)?.pages ?? [];

  it("takes a corrected trade in where it stood", () => {
    const client = loaded([page([1, 2], 4), page([3, 4], 4)]);
    const third = findTrade(client, "3");
    if (!third) throw new Error("It is not there.");
    putTrade(client, { ...third, price: 401 });
    expect(pagesOf(client).map(({ trades }) => trades.map(({ price }) => price))).toEqual([
      [400, 400],
      [401, 400],
    ]);
    expect(pagesOf(client).at(-1)?.total).toBe(4);
  });

  it("lets deleted trades go, and counts what is left", () => {
    const client = loaded([page([1, 2], 9), page([3, 4], 9)]);
    dropTrades(client, ({ _id }) => _id === "2" || _id === "3", 7);
    expect(pagesOf(client).map(({ trades }) => ids(trades))).toEqual([["1"], ["4"]]);
    expect(pagesOf(client).map(({ total }) => total)).toEqual([7, 7]);
    expect(findTrade(client, "2")).toBeUndefined();
  });

  it("counts a deleted leg that no page has loaded", () => {
    const client = loaded([page([1, 2], 9)]);
    dropTrades(client, ({ _id }) => _id === "2" || _id === "9", 7);
    expect(pagesOf(client).map(({ total }) => total)).toEqual([7]);
  });

  it("counts a deleted trade once that two pages hold", () => {
    const client = loaded([]);
    const filtered = tradePages("a@b.c", { ...DEFAULT_VIEW, side: "buy" });
    client.setQueryData(filtered.queryKey, {
      pages: [page([1, 2], 4), page([3, 1], 4)],
      pageParams: ["", "next"],
    });
    new InfiniteQueryObserver(client, { ...filtered, enabled: true }).subscribe(() => {});
    dropTrades(client, ({ _id }) => _id === "1", 3);
    expect(client.getQueryData(filtered.queryKey)?.pages.at(-1)?.total).toBe(3);
  });

  it("takes the total of the whole log for no filtered view", () => {
    const client = loaded([page([1, 2], 9)]);
    const filtered = tradePages("a@b.c", { ...DEFAULT_VIEW, side: "buy", sort: "symbol" });
    client.setQueryData(filtered.queryKey, { pages: [page([1, 2], 5)], pageParams: [""] });
    new InfiniteQueryObserver(client, filtered).subscribe(() => {});
    dropTrades(client, ({ _id }) => _id === "2", 7);
    expect(pagesOf(client).map(({ total }) => total)).toEqual([7]);
    expect(client.getQueryData(filtered.queryKey)?.pages.map(({ total }) => total)).toEqual([4]);
  });
});
