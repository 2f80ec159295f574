import { describe, expect, it } from "vitest";
import {
  clearFilters,
  countFilters,
  DEFAULT_VIEW,
  parseView,
  sortKey,
  toggleSort,
  viewQuery,
  withDay,
  writeView,
} from "#features/trades/log-view.ts";

const parse = (search: string) => parseView(new URLSearchParams(search));

describe("parseView", () => {
  it("shows the whole log, newest first, without parameters", () => {
    expect(parse("panel=1")).toEqual(DEFAULT_VIEW);
  });

  it("reads every parameter", () => {
    expect(
      parse("q=M%26M&broker=groww&tradetype=fno&side=sell&from=2025-06-01&to=2025-06-20&sort=price"),
    ).toEqual({
      q: "M&M",
      broker: "groww",
      tradetype: "fno",
      side: "sell",
      from: "2025-06-01",
      to: "2025-06-20",
      sort: "price",
    });
  });

  it.each([
    "broker=other",
    "tradetype=mf",
    "side=BUY",
    "sort=--price",
    "sort=value",
    "from=2025-02-30",
    "from=20-06-2025",
    "to=1979-01-01",
    "to=yesterday",
    "q=%20%20",
    "q=%00",
  ])("ignores %s", (search) => {
    expect(parse(search)).toEqual(DEFAULT_VIEW);
  });

  it("drops the end of a period that ends before it begins", () => {
    expect(parse("from=2025-06-20&to=2025-06-01")).toMatchObject({ from: "2025-06-20", to: "" });
  });

  it("truncates a search to the limit of the server", () => {
    expect(parse(`q=${"x".repeat(120)}`).q).toHaveLength(100);
  });
});

describe("writeView", () => {
  it("omits defaults and keeps the panel", () => {
    const params = new URLSearchParams("panel=1&q=old&sort=price");
    expect(writeView(params, { ...DEFAULT_VIEW, broker: "groww" }).toString()).toBe("panel=1&broker=groww");
  });

  it("is parsed back to the same view", () => {
    const view = parse("q=a+b&side=buy&to=2024-02-29&sort=-quantity");
    expect(parseView(writeView(new URLSearchParams(), view))).toEqual(view);
  });
});

it("counts a period as one filter, and ignores the order", () => {
  expect(countFilters(parse("from=2025-06-01&to=2025-06-20&sort=price"))).toBe(1);
  expect(countFilters(parse("q=x&broker=groww&tradetype=fno&side=buy&to=2025-06-20"))).toBe(5);
  expect(countFilters(DEFAULT_VIEW)).toBe(0);
});

it("keeps the order when the filters are cleared", () => {
  expect(clearFilters(parse("q=x&sort=price"))).toEqual({ ...DEFAULT_VIEW, sort: "price" });
});

it("clears the other end of a period that would end before it begins", () => {
  const june = parse("from=2025-06-01&to=2025-06-20");
  expect(withDay(june, "from", "2025-07-01")).toMatchObject({ from: "2025-07-01", to: "" });
  expect(withDay(june, "to", "2025-05-01")).toMatchObject({ from: "", to: "2025-05-01" });
  expect(withDay(june, "to", "2025-06-10")).toMatchObject({ from: "2025-06-01", to: "2025-06-10" });
});

it("sends only parameters that differ from the defaults", () => {
  expect(viewQuery(DEFAULT_VIEW)).toEqual({});
  expect(viewQuery(parse("side=sell&sort=symbol"))).toEqual({ type: "sell", sort: "symbol" });
  expect(viewQuery(parse("q=infy+%23fomo"))).toEqual({ search: "infy #fomo" });
});

it.each([
  ["-timestamp", "timestamp", "timestamp"],
  ["timestamp", "timestamp", "-timestamp"],
  ["-timestamp", "price", "-price"],
  ["-timestamp", "symbol", "symbol"],
  ["symbol", "symbol", "-symbol"],
] as const)("toggles %s by %s to %s", (sort, key, next) => {
  expect(toggleSort(sort, key)).toBe(next);
  expect(sortKey(next)).toBe(key);
});
