import { describe, expect, test } from "vitest";
import {
  behindName,
  behindQuery,
  countFilters,
  filterQuery,
  filterWords,
  NO_FILTERS,
  parseBehind,
  parseFilters,
  writeBehind,
  writeFilters,
} from "#features/analytics/filters/analytics-view.ts";
import { groupName } from "#features/analytics/filters/groupings.ts";

const FULL = {
  from: "2025-04-01",
  to: "2026-03-31",
  broker: "zerodha",
  segment: "options",
  symbol: "M&M",
  side: "short",
} as const;

const read = (search: string) => new URLSearchParams(search);

describe("the filters in the address", () => {
  test("come back as they were written, and leave alone what is not theirs", () => {
    const params = writeFilters(read("x=1"), FULL);
    expect(params.get("x")).toBe("1");
    expect(parseFilters(read(params.toString()))).toEqual(FULL);
    expect(writeFilters(params, NO_FILTERS).toString()).toBe("x=1");
  });

  test.each([
    "from=yesterday",
    "to=2025-02-30",
    "broker=robinhood",
    "segment=crypto",
    "side=up",
    "symbol=%20",
  ])("what makes no sense is left out: %s", (search) =>
    expect(parseFilters(read(search))).toEqual(NO_FILTERS),
  );

  test("a period that ends before it begins has no end", () => {
    expect(parseFilters(read("from=2025-02-01&to=2025-01-01"))).toMatchObject({ from: "2025-02-01", to: "" });
  });

  test("are counted, the period once, and said in words", () => {
    expect([countFilters(NO_FILTERS), countFilters(FULL)]).toEqual([0, 5]);
    expect(filterWords(FULL)).toBe("Zerodha, Options, M&M, Short");
    expect(filterWords(NO_FILTERS)).toBe("");
  });

  test("only those that are set are asked for", () => {
    expect(filterQuery({ ...NO_FILTERS, side: "long" })).toEqual({ side: "long" });
    expect(filterQuery(FULL)).toEqual(FULL);
  });
});

describe("what stands behind a figure", () => {
  test.each([
    [{ kind: "result", result: "loss" }, { result: "loss" }, "Losers"],
    [{ kind: "day", day: "2025-06-12" }, { from: "2025-06-12", to: "2025-06-12" }, "12 Jun 2025"],
    [{ kind: "group", by: "weekday", key: "3" }, { by: "weekday", key: "3" }, "Wednesday"],
    [
      { kind: "group", by: "weekdayHour", key: "3-09" },
      { by: "weekdayHour", key: "3-09" },
      "Wednesdays from 9 to 10 am",
    ],
    [{ kind: "range", of: "net", range: { from: 500, to: 1000 } }, { net: "500..1000" }, "₹500 to ₹1,000"],
    [{ kind: "range", of: "r", range: { from: null, to: -3 } }, { r: "..-3" }, "Below −3.00R"],
    [{ kind: "closedTrade", id: "276f" }, { id: "276f" }, "One closed trade"],
    [{ kind: "all" }, {}, ""],
  ] as const)("%o", (behind, query, name) => {
    const params = writeBehind(read("result=win&by=hour&key=09&day=2020-01-01"), behind);
    expect(parseBehind(read(params.toString()))).toEqual(behind);
    expect(behindQuery(NO_FILTERS, behind)).toEqual(query);
    expect(behindName(behind)).toBe(name);
  });

  test("narrows the list within the filters", () => {
    expect(behindQuery(FULL, { kind: "day", day: "2025-06-12" })).toEqual({
      ...FULL,
      from: "2025-06-12",
      to: "2025-06-12",
    });
  });

  test("goes when the filters change", () => {
    expect(writeFilters(read("day=2025-06-12"), { ...NO_FILTERS, side: "long" }).toString()).toBe(
      "side=long",
    );
  });

  test("is nothing where the address says nonsense", () => {
    for (const search of [
      "by=weekday",
      "by=mood&key=1",
      "result=draw",
      "day=12",
      "net=..",
      "r=1..x",
      "closedTrade=a%20b",
    ])
      expect(parseBehind(read(search))).toEqual({ kind: "all" });
  });
});

test.each([
  ["weekday", "7", "Sunday"],
  ["hour", "09", "9 to 10 am"],
  ["hour", "11", "11 to 12 pm"],
  ["hour", "12", "12 to 1 pm"],
  ["hour", "23", "11 to 12 am"],
  ["month", "2026-03", "March 2026"],
  ["holding", "minutes", "Up to five minutes"],
  ["daysToExpiry", "over30", "Over 30 days"],
  ["instrument", "CE", "Calls (CE)"],
  ["symbol", "NIFTY", "NIFTY"],
  ["psychology", "toString", "toString"],
] as const)("the group %s %s is called %s", (by, key, name) => expect(groupName(by, key)).toBe(name));
